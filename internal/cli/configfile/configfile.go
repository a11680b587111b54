// Package configfile reads the operator's callsheet.yaml and applies it to the flags of a command.
//
// A key of the file is the name of a flag, and a profile is a second set of the same keys. The
// package takes every name, type and default from a pflag.FlagSet; it must not know what a flag
// means or which command has it.
package configfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Name is the name of the file in the configuration directory.
const Name = "callsheet.yaml"

// PathAnnotation marks a flag whose value is a path: a relative one in a file starts at the
// directory of the file, and ~/ is the home directory. A flag marked ProgramPath keeps a name
// without a separator, which is looked up in PATH.
const (
	PathAnnotation = "callsheet_path"
	ProgramPath    = "program"
)

// SecretAnnotation marks a flag whose value is a credential: only a file that no one else can read
// may hold it, and it is never shown.
const SecretAnnotation = "callsheet_secret"

// Setting is the value of one key.
type Setting struct {
	Values []string // one, or the items of a list, in order
	Key    diag.Pos
	Value  diag.Pos // of the value, or of the list
	Items  []diag.Pos
}

// File is a parsed configuration file with its problems.
type File struct {
	Path     string
	Settings map[string]Setting
	Profiles map[string]map[string]Setting
	// Providers are the remote browsers that a flag may name.
	Providers map[string]Provider
	// Tokens are the bearer tokens of a server over HTTP; nil where the file has no table of them.
	Tokens map[string]Token
	Diags  diag.List
	Source diag.Source

	profilePos map[string]diag.Pos
	manifest   []string // names of the manifest's profiles, once they are checked
}

// DefaultPath returns callsheet/callsheet.yaml in the user's configuration directory.
func DefaultPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the configuration directory: %w", err)
	}
	return filepath.Join(dir, "callsheet", Name), nil
}

// Err returns all errors of the file with source lines, or nil.
func (f *File) Err() error {
	if !f.Diags.HasErrors() {
		return nil
	}
	return fmt.Errorf("the configuration file has errors\n%s", f.Diags.Text(f.Source))
}

// Load reads the file at path and tries each value on a flag set that fresh returns. It returns nil
// without an error when the file does not exist and need not.
func Load(path string, mustExist bool, fresh func() *pflag.FlagSet) (*File, error) {
	data, err := os.ReadFile(path) // the operator names the file
	if errors.Is(err, fs.ErrNotExist) && !mustExist {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration file: %w", err)
	}
	private := true
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" { // whose modes say nothing of others
		private = info.Mode().Perm()&0o077 == 0
	}
	return parse(path, data, private, fresh), nil
}

// grammar describes a configuration file to the reader of YAML: its keys are the flags, and few more.
func grammar(fresh func() *pflag.FlagSet) *yamltree.Grammar {
	g := &yamltree.Grammar{What: "a configuration file", Keys: []string{keyVersion, keyProfiles, keyProfile, keyProviders, keyTokens}}
	fresh().VisitAll(func(f *pflag.Flag) { g.Keys = append(g.Keys, f.Name) })
	return g
}

func parse(path string, data []byte, private bool, fresh func() *pflag.FlagSet) *File {
	lines := strings.Split(string(data), "\n")
	f := &File{Path: path, Settings: map[string]Setting{}, Profiles: map[string]map[string]Setting{}, profilePos: map[string]diag.Pos{}}
	f.Source = func(_ string, n int) (string, bool) {
		if n < 1 || n > len(lines) {
			return "", false
		}
		return strings.TrimSuffix(lines[n-1], "\r"), true
	}
	doc, diags := yamltree.ReadDocument(yamltree.File{Name: path, Data: data}, grammar(fresh))
	f.Diags = diags
	if doc == nil || doc.Root == nil {
		return f
	}
	r := &reader{file: f, fresh: fresh, private: private, dir: filepath.Dir(path)}
	r.root(doc.Root)
	return f
}
