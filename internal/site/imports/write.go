package imports

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// WriteOptions say which tools are written.
type WriteOptions struct {
	Builtin *toolkit.Registry // the tools that the names of a site's tools must not be
	From    string            // name of the imported file
	Only    []string          // names of the tools that are written; nil: all
	Name    string            // of the one tool; "" keeps it
	Replace bool              // files of tools that exist
}

// Written is the result of Write.
type Written struct {
	Files   []File
	Secrets []string // names that were added to site.yaml
}

// File is the file of a tool.
type File struct {
	Path string
	Tool *Tool
}

// DiagnosticsError says why a site does not compile, for reasons that are not in the imported tools.
type DiagnosticsError struct{ Diagnostics diag.List }

func (e *DiagnosticsError) Error() string {
	return "the site would not compile, for reasons outside of the imported tools; nothing was written"
}

// Write writes a file for each tool into the directory of a site. Before, it compiles the site with them: a
// tool with a mistake is left out. A file is written whole or not at all.
func (r *Result) Write(dir string, o WriteOptions) (*Written, error) {
	site, _, err := source.Load(dir)
	if err != nil {
		return nil, err
	}
	if site == nil {
		return nil, fmt.Errorf("%s has no %s: begin a site with callsheet site new %s", dir, compiled.RootFile, dir)
	}
	if err := r.choose(o); err != nil {
		return nil, err
	}
	r.rename(site.Name.Value, o)
	for _, t := range slices.Clone(r.Drafts) {
		if _, err := os.Stat(filepath.Join(dir, compiled.ToolsDir, t.Name+".yaml")); err == nil && !o.Replace {
			r.Drop(t.Name, path.Join(compiled.ToolsDir, t.Name+".yaml")+" exists; --replace replaces it")
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look for the tool %s: %w", t.Name, err)
		}
	}
	root, err := os.ReadFile(filepath.Join(dir, compiled.RootFile))
	if err != nil {
		return nil, fmt.Errorf("read the site: %w", err)
	}
	var secrets []string
	var changed []byte
	for {
		secrets = r.newSecrets(site)
		if changed, err = withSecrets(root, site, secrets); err != nil {
			return nil, err
		}
		dropped, err := r.compile(dir, changed, o)
		if err != nil {
			return nil, err
		}
		if !dropped {
			break
		}
	}
	out := &Written{Secrets: secrets}
	return out, r.install(dir, changed, o, out)
}

// choose drops the drafts that are not wanted, and names the only one that is left.
func (r *Result) choose(o WriteOptions) error {
	names := slicesx.Map(r.Drafts, func(t *Tool) string { return t.Name })
	for _, name := range o.Only {
		if !slices.Contains(names, name) {
			return fmt.Errorf("the file has no tool %q: %s", name, strings.Join(names, ", "))
		}
	}
	if len(o.Only) > 0 {
		r.Drafts = slices.DeleteFunc(r.Drafts, func(t *Tool) bool { return !slices.Contains(o.Only, t.Name) })
	}
	if o.Name == "" {
		return nil
	}
	if len(r.Drafts) != 1 {
		return fmt.Errorf("--name is for one tool, and the file has %d: choose one with --only: %s", len(r.Drafts), strings.Join(names, ", "))
	}
	r.Drafts[0].Name = o.Name
	return nil
}

// rename puts the name of the site before names that tools of this server have.
func (r *Result) rename(site string, o WriteOptions) {
	taken := map[string]bool{}
	for _, t := range r.Drafts {
		taken[t.Name] = true
	}
	for _, t := range r.Drafts {
		if o.Builtin.Free(t.Name) != nil && o.Name == "" {
			was := t.Name
			t.Name = unique(snake(site+"_"+was), taken)
			t.note("it is called %s, for this server has a tool %s", t.Name, was)
		}
	}
}

// newSecrets lists the secrets of the tools that the site does not declare.
func (r *Result) newSecrets(site *source.Site) []string {
	var out []string
	for _, t := range r.Drafts {
		for _, name := range t.Secrets {
			known := slices.ContainsFunc(site.Secrets, func(s spec.Text) bool { return s.Value == name })
			if !known && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// noSecrets matches the key secrets without names.
var noSecrets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^secrets:[ \t]*(?:\[[ \t]*\])?[ \t]*$`) })

// withSecrets returns site.yaml with further names of secrets.
func withSecrets(root []byte, site *source.Site, names []string) ([]byte, error) {
	if len(names) == 0 {
		return root, nil
	}
	list := strings.Join(names, ", ")
	if len(site.Secrets) == 0 {
		if at := noSecrets().FindIndex(root); at != nil {
			return slices.Concat(root[:at[0]], []byte("secrets: ["+list+"]"), root[at[1]:]), nil
		}
		return []byte(strings.TrimRight(string(root), "\n") + "\nsecrets: [" + list + "]\n"), nil
	}
	lines := strings.SplitAfter(string(root), "\n")
	at := site.Secrets[len(site.Secrets)-1].Pos
	if at.Line < 1 || at.Line > len(lines) {
		return nil, fmt.Errorf("add to site.yaml: secrets: [%s]", list)
	}
	line := lines[at.Line-1]
	last := site.Secrets[len(site.Secrets)-1].Value
	switch i := strings.LastIndex(line, last); {
	case i >= 0 && strings.HasPrefix(strings.TrimSpace(line), "- "):
		indent, _, _ := strings.Cut(line, "-")
		lines[at.Line-1] = strings.TrimRight(line, "\n") + "\n" + indent + "- " + strings.Join(names, "\n"+indent+"- ") + "\n"
	case i >= 0 && strings.Contains(line[i:], "]"):
		end := i + strings.Index(line[i:], "]")
		lines[at.Line-1] = line[:end] + ", " + list + line[end:]
	default:
		return nil, fmt.Errorf("add to site.yaml: secrets: [%s]", list)
	}
	return []byte(strings.Join(lines, "")), nil
}

// compile compiles a copy of the site with the tools, and leaves out those with a mistake. dropped reports that
// there were such.
func (r *Result) compile(dir string, root []byte, o WriteOptions) (dropped bool, err error) {
	copied, err := os.MkdirTemp("", "callsheet-import-")
	if err != nil {
		return false, fmt.Errorf("make a copy of the site: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copied)) }()
	if err := copySite(dir, copied); err != nil {
		return false, fmt.Errorf("make a copy of the site: %w", err)
	}
	if err := os.WriteFile(filepath.Join(copied, compiled.RootFile), root, 0o600); err != nil {
		return false, fmt.Errorf("make a copy of the site: %w", err)
	}
	files := map[string]string{}
	for _, t := range slices.Clone(r.Drafts) {
		text, err := t.File(o.From)
		if err != nil {
			dropped = true
			r.Drop(t.Name, err.Error())
			continue
		}
		file := filepath.Join(copied, compiled.ToolsDir, t.Name+".yaml")
		files[filepath.ToSlash(file)] = t.Name
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return false, fmt.Errorf("make a copy of the site: %w", err)
		}
	}
	var diags diag.List
	if len(files) > 0 {
		if _, diags, err = compile.Compile(copied, compile.Options{Builtin: o.Builtin}); err != nil {
			return false, err
		}
	}
	var others diag.List
	for _, d := range diags {
		if d.Severity != diag.Error {
			continue
		}
		if name := files[d.Pos.File]; name != "" {
			dropped = true
			r.Drop(name, strings.TrimSuffix(d.Message+": "+d.Hint, ": "))
			continue
		}
		d.Pos.File = path.Join(filepath.ToSlash(dir), strings.TrimPrefix(d.Pos.File, filepath.ToSlash(copied)))
		others = append(others, d)
	}
	if len(others) > 0 && !dropped {
		return false, &DiagnosticsError{others}
	}
	return dropped, nil
}

// copySite copies the files of a site that the compiler reads.
func copySite(from, to string) error {
	if err := os.MkdirAll(filepath.Join(to, compiled.ToolsDir), 0o700); err != nil {
		return err
	}
	for _, pattern := range []string{"*.yaml", "*.json", compiled.ToolsDir + "/*.yaml", compiled.ToolsDir + "/*.yml"} {
		names, err := fs.Glob(os.DirFS(from), pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
			if err == nil {
				err = os.WriteFile(filepath.Join(to, filepath.FromSlash(name)), text, 0o600)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// install writes the files. The secrets come first: a tool that uses one compiles at no time without it.
func (r *Result) install(dir string, root []byte, o WriteOptions, out *Written) error {
	if len(r.Drafts) == 0 {
		return nil
	}
	if len(out.Secrets) > 0 {
		if err := atomicfile.Update(filepath.Join(dir, compiled.RootFile), root, 0o644); err != nil {
			return fmt.Errorf("add the secrets to the site: %w", err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, compiled.ToolsDir), 0o755); err != nil {
		return fmt.Errorf("make the directory of tools: %w", err)
	}
	for _, t := range r.Drafts {
		text, err := t.File(o.From)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, compiled.ToolsDir, t.Name+".yaml")
		if err := atomicfile.Update(file, text, 0o644); err != nil {
			return fmt.Errorf("write the tool %s: %w", t.Name, err)
		}
		out.Files = append(out.Files, File{file, t})
	}
	return nil
}
