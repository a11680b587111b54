package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/site/compile"
)

// siteCommand is everything about sites.
func (p program) siteCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "site", Short: "Make a web site's tasks into tools: write, check and serve them", Args: noArguments}
	cmd.AddCommand(p.siteNewCommand(), p.siteCompileCommand(), p.siteServeCommand(), p.siteRecordCommand(), p.siteImportCommand(), p.siteCheckCommand())
	return cmd
}

func (p program) siteServeCommand() *cobra.Command {
	cfg := config{AuthToken: p.token}
	cmd := &cobra.Command{
		Use: "serve DIR", Short: "Serve the tools of a site; as callsheet --site DIR", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cfg.Validate(cmd.Flags()); err != nil {
				return usageError{err}
			}
			cfg.Sites.Dir = args[0]
			return p.serve(cmd.Context(), cfg)
		},
	}
	cfg.Flags(cmd.Flags())
	_ = cmd.Flags().MarkHidden("site") // the argument is it
	return cmd
}

func (p program) siteNewCommand() *cobra.Command {
	return &cobra.Command{
		Use: "new DIR", Short: "Write the first files of a site", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			names, err := compile.New(args[0])
			if err != nil {
				return usageError{err}
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

// siteCompiling are the flags of site compile.
type siteCompiling struct {
	freeze, asJSON                    bool
	why, who, release, module, goHome string
	script                            string
}

func (p program) siteCompileCommand() *cobra.Command {
	var in siteCompiling
	cmd := &cobra.Command{
		Use: "compile DIR", Short: "Check a site: names, steps, facts, and every state that its pages can be in", Args: cobra.ExactArgs(1),
		Example: "  callsheet site compile shop\n  callsheet site compile shop --freeze --why \"the first tools\"",
		RunE:    func(_ *cobra.Command, args []string) error { return p.compileSite(args[0], in) },
	}
	f := cmd.Flags()
	f.BoolVar(&in.freeze, "freeze", false, "promise the tools as they are now: write "+compile.LockFile)
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

// builtinTools returns the tools that steps may call, and what ends the app behind them, which has started
// nothing.
func (p program) builtinTools() (compile.Options, *app.App, error) {
	built, err := p.build(config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return compile.Options{}, nil, err
	}
	return compile.Options{Builtin: built.Surface.Registry()}, built, nil
}

func (p program) compileSite(dir string, in siteCompiling) (err error) {
	if in.freeze && in.why == "" {
		return usageError{errors.New("--freeze needs --why: the reason stands in the lock")}
	}
	o, built, err := p.builtinTools()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, options.Close(built)) }()
	entry := compile.Entry{Who: siteAuthor(in.who), Why: in.why, When: time.Now()}
	site, diags, err := compile.Compile(dir, o)
	switch {
	case err != nil:
		return usageError{err}
	case in.freeze:
		diags, err = compile.Freeze(dir, o, entry)
	case in.release != "":
		diags, err = compile.Release(dir, in.release, o, entry)
	}
	if err != nil {
		return usageError{err}
	}
	if err := p.printSite(diags, in.asJSON); err != nil {
		return err
	}
	if diags.HasErrors() {
		return refusedError{}
	}
	if in.goHome != "" {
		return p.generateSite(dir, o, in)
	}
	if in.script != "" {
		return p.writeSiteScript(dir, in.script)
	}
	if in.asJSON || site == nil {
		return nil
	}
	_, err = fmt.Fprintf(p.stdout, "%d tools, %d facts, %d states: all can be reached and left\n", len(site.Set.Tools), len(site.Set.Facts), site.States())
	return err
}

// generateSite writes the Go of a site's tools.
func (p program) generateSite(dir string, o compile.Options, in siteCompiling) error {
	out, diags, err := compile.Generate(dir, o, in.goHome, in.module)
	if err != nil {
		return usageError{err}
	}
	if err := p.printSite(diags, false); err != nil {
		return err
	}
	if diags.HasErrors() {
		return refusedError{}
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
