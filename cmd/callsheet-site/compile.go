package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/cli/companion"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/site/compiled"
)

func (p program) newCommand() *cobra.Command {
	return &cobra.Command{
		Use: companion.SiteNew.Use, Short: companion.SiteNew.Short, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			names, err := compile.New(args[0])
			if err != nil {
				return exit.Misuse(err)
			}
			for _, name := range names {
				if _, err := fmt.Fprintln(p.stdout, "wrote", filepath.Join(args[0], filepath.FromSlash(name))); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// compiling is the flags of compile.
type compiling struct {
	freeze, asJSON                    bool
	why, who, release, module, goHome string
	script                            string
}

func (p program) compileCommand() *cobra.Command {
	var in compiling
	cmd := &cobra.Command{
		Use: companion.SiteCompile.Use, Short: companion.SiteCompile.Short, Args: cobra.ExactArgs(1),
		Example: "  callsheet site compile shop\n  callsheet site compile shop --freeze --why \"the first tools\"",
		RunE:    func(_ *cobra.Command, args []string) error { return p.compileSite(args[0], in) },
	}
	f := cmd.Flags()
	f.BoolVar(&in.freeze, "freeze", false, "promise the tools as they are now: write "+compiled.LockFile)
	f.StringVar(&in.release, "release", "", "record the tools as this `VERSION`, against which later changes are judged")
	f.StringVar(&in.why, "why", "", "why the tools are frozen")
	f.StringVar(&in.who, "who", "", "who freezes or releases them (default $GIT_AUTHOR_NAME, then $USER)")
	f.StringVar(&in.goHome, "go", "", "write Go for the tools into the module of this `DIR`ectory: registry, verbs, documents")
	f.StringVar(&in.module, "module", "", "import `PATH` of a module that --go begins (default: example.com/ and the site's name)")
	f.StringVar(&in.script, "script", "", "write JavaScript into this `FILE` that offers the tools from the site's own pages, as WebMCP")
	f.BoolVar(&in.asJSON, "json", false, "print the problems as JSON")
	cmd.MarkFlagsMutuallyExclusive("go", "script")
	return cmd
}

func (p program) compileSite(dir string, in compiling) error {
	if in.freeze && in.why == "" {
		return exit.Misuse(errors.New("--freeze needs --why: the reason stands in the lock"))
	}
	return withBuiltin(func(o compile.Options) error {
		site, err := p.compiled(dir, o, in)
		if err != nil {
			return err
		}
		switch {
		case in.goHome != "":
			return p.generateSite(dir, o, in)
		case in.script != "":
			return p.writeSiteScript(dir, in.script)
		case in.asJSON:
			return nil
		}
		_, err = fmt.Fprintf(p.stdout, "%d tools, %d facts, %d states: all can be reached and left\n", len(site.Set.Tools), len(site.Set.Facts), site.States())
		return err
	})
}

// compiled compiles a site, promises it where that is wanted, and writes the file that a server loads.
func (p program) compiled(dir string, o compile.Options, in compiling) (*compile.Compiled, error) {
	entry := compile.Entry{Who: siteAuthor(in.who), Why: in.why, When: time.Now()}
	site, diags, err := compile.Compile(dir, o)
	switch {
	case err != nil:
		return nil, exit.Misuse(err)
	case in.freeze:
		diags, err = compile.Freeze(dir, o, entry)
	case in.release != "":
		diags, err = compile.Release(dir, in.release, o, entry)
	}
	if err == nil && !diags.HasErrors() && site != nil {
		err = site.Write()
	}
	if err != nil {
		return nil, exit.Misuse(err)
	}
	if err := p.printSite(diags, in.asJSON); err != nil {
		return nil, err
	}
	if diags.HasErrors() || site == nil {
		return nil, exit.RefusedError{}
	}
	return site, nil
}

// generateSite writes the Go of a site's tools.
func (p program) generateSite(dir string, o compile.Options, in compiling) error {
	out, diags, err := compile.Generate(dir, o, in.goHome, in.module)
	if err != nil {
		return exit.Misuse(err)
	}
	if err := p.printSite(diags, false); err != nil {
		return err
	}
	if diags.HasErrors() {
		return exit.RefusedError{}
	}
	_, err = fmt.Fprintf(p.stdout, "wrote %d files of module %s in %s\n", out.Files, out.Module, in.goHome)
	return err
}

func (p program) printSite(diags compile.Diagnostics, asJSON bool) error {
	if asJSON {
		if diags == nil {
			diags = compile.Diagnostics{}
		}
		return json.NewEncoder(p.stdout).Encode(diags)
	}
	return compile.Print(p.stderr, diags)
}

// siteAuthor returns who is said to have frozen a site.
func siteAuthor(who string) string {
	for _, name := range []string{who, os.Getenv("GIT_AUTHOR_NAME"), os.Getenv("USER")} {
		if name != "" {
			return name
		}
	}
	return "unknown"
}
