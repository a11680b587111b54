package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/starter"
)

// The module that holds the compiler and its toolkit, and the command in it.
const (
	genModule   = "github.com/callsheet/callsheet/gen"
	toolCommand = genModule + "/cmd/toolgen"
)

// goVersion is the language version of a module that init begins: the one of the toolkit.
const goVersion = "1.26.0"

func (a *app) initModule() *cobra.Command {
	var module, toolkit string
	var cli bool
	cmd := &cobra.Command{
		Use:   "init [DIRECTORY]",
		Short: "Begin a module with a server, one tool and its test",
		Long: `Begin a module with a server, one tool and its test, in the directory or in the present one.

Nothing is overwritten: where one of the files is there already, nothing is written at all. A go.mod
that is there stays and gets the requirements. The go command is run to add them.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := a.dir
			if len(args) == 1 {
				if dir = args[0]; !filepath.IsAbs(dir) {
					dir = filepath.Join(a.dir, dir)
				}
			}
			requirement, err := requirementOf(dir, toolkit)
			if err != nil {
				return err
			}
			return a.begin(dir, starter.Module{Path: module, CLI: cli}, requirement)
		},
	}
	cmd.Flags().StringVar(&module, "module", "", "import path of the module (default: that of its go.mod, or example.com/ and the directory's name)")
	cmd.Flags().BoolVar(&cli, "cli", false, "make each tool a command of the program too, which links a command-line library (900 kB)")
	cmd.Flags().StringVar(&toolkit, "toolkit", "", "directory of the compiler's module, as gen in a checkout of callsheet; replaces the published version")
	return cmd
}

// requirement is how a module requires the compiler: at a version, or replaced by a directory.
type requirement struct{ version, dir string }

// requirementOf takes the version that this program was built from, unless the toolkit's directory stands
// in for it. A relative one is written relative to the module.
func requirementOf(module, toolkit string) (requirement, error) {
	if toolkit != "" {
		mod, err := os.ReadFile(filepath.Join(toolkit, "go.mod"))
		if err != nil || gen.ModulePath(mod) != genModule {
			return requirement{}, inputError{fmt.Errorf("--toolkit %s: it holds no go.mod of %s", toolkit, genModule)}
		}
		dir, err := replacement(module, toolkit)
		if err != nil {
			return requirement{}, inputError{err}
		}
		return requirement{version: "v0.0.0", dir: dir}, nil
	}
	version := builtVersion()
	if version == "" {
		return requirement{}, fmt.Errorf("this toolgen was built from a checkout and has no version to require; name the compiler's directory: --toolkit CHECKOUT/gen")
	}
	return requirement{version: version}, nil
}

// replacement is the toolkit's directory as a go.mod in the module's directory names it.
func replacement(module, toolkit string) (string, error) {
	if filepath.IsAbs(toolkit) {
		return toolkit, nil
	}
	from, err := filepath.Abs(module)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(toolkit)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Rel(from, to)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(dir, "..") {
		dir = "./" + dir
	}
	return filepath.ToSlash(dir), nil
}

// builtVersion is the published version of the compiler that is running; "" where it was built from a
// checkout.
func builtVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == genModule && m.Replace == nil && m.Version != "(devel)" && !strings.Contains(m.Version, "+dirty") && m.Sum != "" {
			return m.Version
		}
	}
	return ""
}

// begin writes the module into dir, requires the compiler, compiles the manifest and says what to do
// next.
func (a *app) begin(dir string, wanted starter.Module, compiler requirement) error {
	m, exists, err := moduleAt(dir, wanted.Path)
	if err != nil {
		return inputError{err}
	}
	m.CLI = wanted.CLI
	if err := m.Check(); err != nil {
		return inputError{err}
	}
	files, err := starter.Files(m)
	if err != nil {
		return defectError{err}
	}
	if err := noneExists(dir, files); err != nil {
		return inputError{err}
	}
	if !exists {
		files = append(files, output.File{Path: "go.mod", Data: fmt.Appendf(nil, "module %s\n\ngo %s\n", m.Path, goVersion)})
	}
	for _, f := range files {
		full := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return inputError{err}
		}
		if err := os.WriteFile(full, f.Data, 0o644); err != nil {
			return inputError{err}
		}
	}
	if err := a.compileFirst(dir); err != nil {
		return err
	}
	if err := a.require(dir, compiler); err != nil {
		return inputError{err}
	}
	enter := ""
	if rel := filepath.Clean(dir); rel != "." {
		enter = "cd " + rel + "\n"
	}
	fmt.Fprintf(a.stdout, "%s: a server with one tool, in %d files and generated/. Next:\n\n%smake test\nmake run\n", m.Path, len(files), enter)
	return nil
}

// moduleAt says which module the directory is to hold, and whether it has a go.mod.
func moduleAt(dir, path string) (m starter.Module, exists bool, err error) {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	switch {
	case err == nil:
		have := gen.ModulePath(mod)
		if path != "" && path != have {
			return m, true, fmt.Errorf("--module %s: %s is of module %q", path, filepath.Join(dir, "go.mod"), have)
		}
		return starter.Module{Path: have}, true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return m, false, err
	case path != "":
		return starter.Module{Path: path}, false, nil
	}
	full, err := filepath.Abs(dir)
	return starter.Module{Path: "example.com/" + filepath.Base(full)}, false, err
}

// noneExists reports the files that are there already.
func noneExists(dir string, files []output.File) error {
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path))); err == nil {
			there = append(there, f.Path)
		}
	}
	if len(there) > 0 {
		return fmt.Errorf("%s has %s already; nothing was written", dir, strings.Join(there, ", "))
	}
	return nil
}

// compileFirst writes generated/, so that every import of the first files leads somewhere.
func (a *app) compileFirst(dir string) error {
	src, err := gen.Load(dir)
	if err != nil {
		return inputError{err}
	}
	plan, diags := gen.Run(src)
	if plan == nil || diags.HasErrors() {
		return defectError{fmt.Errorf("the first manifest does not compile: %v", diags)}
	}
	if _, err := plan.Write(filepath.Join(dir, gen.Generated)); err != nil {
		return inputError{err}
	}
	return nil
}

// require adds the compiler and what the first files import to the module's requirements.
func (a *app) require(dir string, compiler requirement) error {
	edit := []string{"mod", "edit", "-require=" + genModule + "@" + compiler.version, "-tool=" + toolCommand}
	if compiler.dir != "" {
		edit = append(edit, "-replace="+genModule+"="+compiler.dir)
	}
	for _, args := range [][]string{edit, {"mod", "tidy"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("the files are written, and \"go %s\" failed: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}
