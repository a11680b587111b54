// Package compile compiles a site: its source becomes the model of a tool surface, which passes the same
// rules, the same prover, the same lock and the same rules about breaking changes as the manifest of this
// server, and then the file that a server loads.
//
// It is the one package of internal that links the whole compiler. It must not know browsers nor how a tool is run.
package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// Compiled is a site that passes every rule.
type Compiled struct {
	Source *source.Site
	Set    *model.Toolset

	input source.Input
}

// Options are the options of Compile.
type Options struct {
	// Builtin has the tools that steps may call, without those of a site.
	Builtin *toolkit.Registry
	// frozen compiles as if the site's own scope were frozen.
	frozen bool
}

// Compile reads and compiles the site of a directory. The site is nil where the diagnostics hold an error.
// The error is about files that cannot be read.
func Compile(dir string, o Options) (*Compiled, diag.List, error) {
	in, err := load(dir, o)
	if err != nil {
		return nil, nil, err
	}
	return in.compile()
}

// loaded is a site as it was read, with what the compiler makes of it.
type loaded struct {
	site  *source.Site // nil without site.yaml
	input source.Input
	src   gen.Source
	diags diag.List // of the source
}

// load reads a site and the files beside it.
func load(dir string, o Options) (*loaded, error) {
	site, diags, err := source.Load(dir)
	if err != nil {
		return nil, err
	}
	return prepare(dir, site, diags, o)
}

func prepare(dir string, site *source.Site, diags diag.List, o Options) (*loaded, error) {
	root := path.Join(filepath.ToSlash(dir), compiled.RootFile)
	in := &loaded{site: site, diags: diags}
	if site == nil {
		return in, nil
	}
	in.input = source.Input{Site: site, Builtin: o.Builtin}
	layout := model.DefaultLayout()
	layout.Manifest, layout.Docs = root, []string{}
	in.src = gen.Source{Layout: layout, Files: site.Files}
	for name, file := range map[string]**spec.File{compiled.LockFile: &in.src.Lock, compiled.ReleasedFile: &in.src.Released, compiled.AllowancesFile: &in.src.Allowances} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read what a site has promised: %w", err)
		}
		*file = &spec.File{Name: path.Join(filepath.ToSlash(dir), name), Data: data}
	}
	if !diags.HasErrors() {
		in.diags = append(in.diags, source.Check(site, o.Builtin)...)
	}
	in.diags = append(in.diags, diag.Check(Rules(), in.input)...)
	tree := treeOf(site, o.frozen || in.src.Lock != nil)
	in.src.Parsed = &gen.Parsed{Tree: tree, Diags: in.diags}
	return in, nil
}

func (in *loaded) compile() (*Compiled, diag.List, error) {
	if in.site == nil {
		return nil, in.diags, nil
	}
	set, diags := gen.Check(in.src)
	diags = in.inSiteTerms(diags)
	if set == nil {
		return nil, diags, nil
	}
	return &Compiled{Source: in.site, Set: set, input: in.input}, diags, nil
}

// inSiteTerms names the commands of sites where the compiler names those of modules.
func (in *loaded) inSiteTerms(diags diag.List) diag.List {
	usual, layout := model.DefaultLayout(), in.src.Layout
	words := strings.NewReplacer(usual.Beside(compiled.AllowancesFile), layout.Beside(compiled.AllowancesFile), usual.Beside(compiled.LockFile), layout.Beside(compiled.LockFile),
		usual.Beside(compiled.ReleasedFile), layout.Beside(compiled.ReleasedFile), "go tool toolgen freeze", "callsheet site compile --freeze", "toolgen freeze", "callsheet site compile --freeze",
		"go tool toolgen release", "callsheet site compile --release", "toolgen release", "callsheet site compile --release")
	for i := range diags {
		d := &diags[i]
		d.Message, d.Hint, d.Detail, d.Fix = words.Replace(d.Message), words.Replace(d.Hint), words.Replace(d.Detail), nil
	}
	return diags
}

// Freeze writes the lock of a site: what it promises now, and why. It freezes the site's own scope at the
// first time.
func Freeze(dir string, o Options, entry scope.Entry) (diag.List, error) {
	o.frozen = true
	in, err := load(dir, o)
	if err != nil || in.site == nil {
		return in.diagnostics(), err
	}
	text, diags, err := gen.Freeze(in.src, entry)
	diags = in.inSiteTerms(diags)
	if err != nil || diags.HasErrors() {
		return diags, err
	}
	return diags, write(dir, compiled.LockFile, text)
}

func (in *loaded) diagnostics() diag.List {
	if in == nil {
		return nil
	}
	return in.diags
}

// Release records what a site is now as a release, against which later changes are judged, and signs the
// record in the lock.
func Release(dir, version string, o Options, entry scope.Entry) (diag.List, error) {
	in, err := load(dir, o)
	if err != nil || in.site == nil {
		return in.diagnostics(), err
	}
	out, diags, err := gen.Release(in.src, version, entry)
	diags = in.inSiteTerms(diags)
	if err != nil || diags.HasErrors() {
		return diags, err
	}
	if err := write(dir, compiled.ReleasedFile, out.Record); err != nil || out.Lock == nil {
		return diags, err
	}
	return diags, write(dir, compiled.LockFile, out.Lock)
}

func write(dir, name string, text []byte) error {
	if err := atomicfile.Update(filepath.Join(dir, name), text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
