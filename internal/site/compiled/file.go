// Package compiled is a compiled site as a file: site.json beside the source, which the compiler of sites writes and
// a server loads. A file that is not of its source is refused with the command that mends it.
//
// It must not know how a site is compiled, nor browsers or how a tool is run: the caller passes what runs one.
package compiled

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/internal/site/run"
)

// Names of the files of a site, relative to its directory.
const (
	RootFile       = "site.yaml"
	ToolsDir       = "tools"
	LockFile       = "scope.lock.yaml"
	ReleasedFile   = "released.json"
	AllowancesFile = "allowances.yaml"
	FileName       = "site.json" // the compiled site
)

// Scope is the scope that holds a site's tools alone, and the name of the scope and the capability that a
// site has where its source names none.
const Scope = "site"

// Format is the version of the file that this package writes and reads.
const Format = 1

// Site is a compiled site. Bits of facts are those of Facts, in order. Places are relative to its directory.
type Site struct {
	Format int `json:"format"`
	// Sources are digests of the files that it was compiled from, and Uses those of the parameters of each tool of
	// the server that steps call.
	Sources     map[string]string  `json:"sources"`
	Uses        map[string]string  `json:"uses"`
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	Capability  toolkit.Capability `json:"capability"`
	Origins     []string           `json:"origins"`
	Parameters  *param.Object      `json:"parameters"` // of the whole site
	Facts       []Fact             `json:"facts,omitempty"`
	Events      []Event            `json:"events,omitempty"`
	Advice      []toolkit.Advice   `json:"advice,omitempty"`
	Tools       []Tool             `json:"tools"`

	dir   string            // as the caller of Load named it; "" for a site that was not loaded
	files map[string][]byte // the sources
}

// Fact is a fact with the observation that decides it; nil for one that only tools change.
type Fact struct {
	Name    string           `json:"name"`
	Observe *run.Observation `json:"observe,omitempty"`
}

// Event is a change of facts that the page causes without a call.
type Event struct {
	Name    string          `json:"name"`
	When    *run.Predicate  `json:"when,omitempty"`
	Changes toolkit.Changes `json:"changes"`
}

// StaleError says why a compiled site is not served, and which command mends that.
type StaleError struct{ Dir, Reason string }

func (e *StaleError) Error() string {
	return fmt.Sprintf("the site %s %s; run: callsheet site compile %[1]s", e.Dir, e.Reason)
}

// Source is one file of the source of a site. Its name is relative to the directory, with slashes.
type Source struct {
	Name string
	Data []byte
}

// Sources reads the source of a site: site.yaml, and the files of tools in their order. A file that is not there is
// left out.
func Sources(dir string) ([]Source, error) {
	names := []string{RootFile}
	entries, err := os.ReadDir(filepath.Join(dir, ToolsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the tools of a site: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() && slices.Contains([]string{".yaml", ".yml"}, path.Ext(e.Name())) {
			names = append(names, path.Join(ToolsDir, e.Name()))
		}
	}
	return read(dir, names)
}

func read(dir string, names []string) ([]Source, error) {
	var out []Source
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read a site: %w", err)
		}
		out = append(out, Source{name, data})
	}
	return out, nil
}

// Promises reads the lock, the last release and the allowances of a site from its directory.
func Promises(dir string) ([]Source, error) {
	return read(dir, []string{LockFile, ReleasedFile, AllowancesFile})
}

// Digest returns the digest of a text.
func Digest[T ~string | ~[]byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Digests returns the digest of each file by its name.
func Digests(files []Source) map[string]string {
	out := make(map[string]string, len(files))
	for _, f := range files {
		out[f.Name] = Digest(f.Data)
	}
	return out
}

// Encode returns the text of the file.
func (s *Site) Encode() ([]byte, error) {
	s.Format = Format
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("write the compiled site: %w", err)
	}
	return b.Bytes(), nil
}

// Load reads the compiled site of a directory. The error is a *StaleError where there is none, or one of another
// format or of another source.
func Load(dir string) (*Site, error) {
	data, err := os.ReadFile(filepath.Join(dir, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, RootFile)); err != nil {
			return nil, fmt.Errorf("%s is not the directory of a site: %w", dir, err)
		}
		return nil, &StaleError{dir, "is not compiled"}
	}
	if err != nil {
		return nil, fmt.Errorf("read the compiled site: %w", err)
	}
	sources, err := Sources(dir)
	if err != nil {
		return nil, err
	}
	promises, err := Promises(dir)
	if err != nil {
		return nil, err
	}
	return Parse(dir, data, slices.Concat(sources, promises))
}

// Parse reads the text of a file. The sources are those that the directory has now. The error is a *StaleError.
func Parse(dir string, data []byte, sources []Source) (*Site, error) {
	var head struct{ Format int }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, &StaleError{dir, "has a " + FileName + " that cannot be read"}
	}
	if head.Format != Format {
		return nil, &StaleError{dir, fmt.Sprintf("has a %s of format %d, and this program reads format %d", FileName, head.Format, Format)}
	}
	s := &Site{dir: dir, files: map[string][]byte{}}
	var line bytes.Buffer // arguments and bodies are those of the source, without the white space of this file
	if err := errors.Join(json.Compact(&line, data), json.Unmarshal(line.Bytes(), s)); err != nil {
		return nil, &StaleError{dir, "has a " + FileName + " that cannot be read"}
	}
	if reason := changed(s.Sources, Digests(sources)); reason != "" {
		return nil, &StaleError{dir, reason}
	}
	for _, f := range sources {
		s.files[s.place(f.Name)] = f.Data
	}
	s.absolute()
	return s, nil
}

// changed names a file that is not as it was compiled; "" when there is none.
func changed(compiled, now map[string]string) string {
	names := slices.Sorted(maps.Keys(now))
	for _, name := range slices.Sorted(maps.Keys(compiled)) {
		if now[name] == "" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		switch {
		case now[name] == "":
			return "no longer has " + name + ", from which it was compiled"
		case compiled[name] == "":
			return "has got " + name + " since it was compiled"
		case compiled[name] != now[name]:
			return "has another " + name + " than it was compiled from"
		}
	}
	return ""
}

// place returns a name of the file as the caller of Load would write it.
func (s *Site) place(name string) string { return path.Join(filepath.ToSlash(s.dir), name) }

// absolute makes the places of tools, steps and outputs those that the caller of Load would write.
func (s *Site) absolute() {
	for i := range s.Tools {
		t := &s.Tools[i]
		t.Run.File = s.place(t.Run.File)
		for j := range t.Steps {
			t.Steps[j].Step.Pos = s.place(t.Steps[j].Pos)
		}
		s.absoluteOutputs(t.Run.Outputs)
	}
}

func (s *Site) absoluteOutputs(outputs []run.Output) {
	for i := range outputs {
		outputs[i].Pos = s.place(outputs[i].Pos)
		s.absoluteOutputs(outputs[i].Members)
	}
}

// File returns the content of a file of the source, as Load has read it; nil for another one.
func (s *Site) File(place string) []byte { return s.files[place] }

// SameFacts reports whether two sites have the same facts, whose bits the tools know.
func (s *Site) SameFacts(other *Site) bool {
	return slices.EqualFunc(s.Facts, other.Facts, func(a, b Fact) bool { return a.Name == b.Name })
}
