package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/remote"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/compat"
)

// tokenVariable holds a bearer token for servers over HTTP.
const tokenVariable = "TOOLGEN_TOKEN"

const breakingHelp = `Without arguments, list the changes that a client of the last release of this manifest could trip over.

With OLD and NEW, compare what two servers offer, for a client that cached the list of OLD. A side is

  stdio:COMMAND LINE   a program that serves on stdio, as in "stdio:npx -y PACKAGE@VERSION"; no shell runs it
  https://HOST/PATH    a server over streamable HTTP
  FILE.json            a result of tools/list, a JSON-RPC response, an array of tools, or a released.json
  DIRECTORY            a module with a manifest
  GITREF               the manifest of this module at a git ref
  GITREF:FILE.json     a file at a git ref, by its path from the root of the repository

and "--" before a command line stands for NEW. Severities: error, a client with the cached list fails; warning, the
cached list misleads; info. "toolgen explain RULE" says more about a rule.

Exit codes: 0 no finding of the severity of --fail-on, 1 one or more, 2 wrong usage, 3 a side cannot be read.`

const breakingExamples = `  toolgen breaking --against v1.2.0
  toolgen breaking old.json "stdio:npx -y some-server@2.0.0"
  toolgen breaking main:tools.json -- node server.js
  toolgen breaking https://a.example/mcp https://b.example/mcp --new-header 'X-Key: $KEY' --format github
  toolgen breaking old.json new.json --fail-on warning --ignore TOOL_NO_DELETE:old_tool`

// comparison is one run of breaking with two sides, with its flags.
type comparison struct {
	*app
	against                      string
	failOn                       string
	ignore                       []string
	header, oldHeader, newHeader []string
	timeout                      time.Duration
	save                         string
}

func (a *app) breaking() *cobra.Command {
	c := &comparison{app: a}
	cmd := &cobra.Command{
		Use:     "breaking [--against GITREF|FILE] | OLD NEW | OLD -- COMMAND…",
		Short:   "List the changes that a client of the last release, or of any other server, could trip over",
		Long:    breakingHelp,
		Example: breakingExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			old, new, err := c.sides(cmd, args)
			switch {
			case err != nil:
				return err
			case old == nil:
				return a.breakingRelease(cmd, c.against)
			}
			return c.compare(cmd, old, new)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.against, "against", "", "compare with the manifest at a git ref, or with a recorded release (default "+gen.ReleasedFile+")")
	f.StringVar(&c.failOn, "fail-on", string(diag.Error), "least severity that gives exit code 1: "+strings.Join(compat.Limits(), ", "))
	f.StringArrayVar(&c.ignore, "ignore", nil, "leave out a rule, or RULE:NAME for one tool, prompt or resource; repeatable")
	f.StringArrayVar(&c.header, "header", nil, "header for both sides over HTTP, as 'Name: value'; $VARIABLES are expanded; repeatable")
	f.StringArrayVar(&c.oldHeader, "old-header", nil, "header for OLD only")
	f.StringArrayVar(&c.newHeader, "new-header", nil, "header for NEW only; $"+tokenVariable+" is sent to both as a bearer token")
	f.DurationVar(&c.timeout, "timeout", remote.DefaultTimeout, "deadline for each live side")
	f.StringVar(&c.save, "save", "", "write what NEW offers to this file, which can be OLD the next time")
	return cmd
}

// side is an argument, with the headers that go with it.
type side struct {
	source  string
	command []string // in place of the source
	header  http.Header
}

func (s *side) String() string {
	if s.command != nil {
		return remote.Source{Command: s.command}.String()
	}
	return s.source
}

// sides reads the arguments: none, two, or one before a command line. Flags of the other form are refused.
func (c *comparison) sides(cmd *cobra.Command, args []string) (old, new *side, err error) {
	if len(args) == 0 {
		for _, name := range []string{"fail-on", "ignore", "header", "old-header", "new-header", "timeout", "save"} {
			if cmd.Flags().Changed(name) {
				return nil, nil, fmt.Errorf("--%s needs OLD and NEW; a change of a release is allowed in %s", name, gen.AllowancesFile)
			}
		}
		return nil, nil, nil
	}
	dash := cmd.ArgsLenAtDash()
	switch {
	case c.against != "":
		return nil, nil, errors.New("--against compares this manifest; give either it or OLD and NEW")
	case dash == 1 && len(args) > 1:
		old, new = &side{source: args[0]}, &side{command: args[1:]}
	case dash < 0 && len(args) == 2:
		old, new = &side{source: args[0]}, &side{source: args[1]}
	default:
		return nil, nil, fmt.Errorf("breaking takes no argument, or OLD and NEW, or OLD -- COMMAND; got %d arguments", len(args))
	}
	if !slices.Contains(compat.Limits(), c.failOn) {
		return nil, nil, unknownWord("severity", c.failOn, compat.Limits())
	}
	ids := slicesx.Map(compat.Rules(), func(r diag.Description) string { return r.ID })
	for _, p := range c.ignore {
		if rule, _, _ := strings.Cut(p, ":"); !slices.Contains(ids, rule) {
			return nil, nil, unknownWord("rule", rule, ids)
		}
	}
	if old.header, err = headers(slices.Concat(c.header, c.oldHeader)); err == nil {
		new.header, err = headers(slices.Concat(c.header, c.newHeader))
	}
	return old, new, err
}

// headers reads lines "Name: value".
func headers(lines []string) (http.Header, error) {
	out := http.Header{}
	if token := os.Getenv(tokenVariable); token != "" {
		out.Set("Authorization", "Bearer "+token)
	}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("header %q is not of the form 'Name: value'", name)
		}
		out.Set(name, os.ExpandEnv(strings.TrimSpace(value)))
	}
	return out, nil
}

// breakingRelease compares this manifest with its last release, or with a git ref.
func (a *app) breakingRelease(cmd *cobra.Command, against string) error {
	root, src, err := a.load()
	if err != nil {
		return err
	}
	set, diags := gen.Lint(src)
	if err := a.report(diags, src.Line); err != nil {
		return err
	}
	var changes []breaking.Change
	if against == "" {
		changes, diags = gen.Breaking(src, set)
	} else {
		was, err := surfaceAt(cmd, root, src, against)
		if err != nil {
			return inputError{err}
		}
		changes, diags = gen.CompareRelease(src, set, was)
	}
	return a.changes(changes, diags.Sorted(), src.Line)
}

// compare reads both sides and prints their differences.
func (c *comparison) compare(cmd *cobra.Command, old, new *side) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM) // ends what was started
	defer stop()
	cmd.SetContext(ctx)
	was, err := c.readSide(cmd, old)
	if err != nil {
		return sideError{fmt.Errorf("OLD: %w", err)}
	}
	now, err := c.readSide(cmd, new)
	if err != nil {
		return sideError{fmt.Errorf("NEW: %w", err)}
	}
	if c.save != "" {
		text, err := remote.Encode(now)
		if err == nil {
			err = os.WriteFile(c.save, text, 0o644)
		}
		if err != nil {
			return inputError{fmt.Errorf("save what NEW offers: %w", err)}
		}
	}
	findings, idle := compat.Ignore(compat.Compare(was, now), c.ignore)
	for _, p := range idle {
		fmt.Fprintf(c.stderr, "toolgen: --ignore %s names no finding; remove it\n", p)
	}
	if new.command == nil && filepath.Ext(new.source) == ".json" {
		if data, err := os.ReadFile(new.source); err == nil {
			compat.Locate(findings, now, new.source, data)
		}
	}
	report := compat.NewReport(compat.SideOf(old.String(), was), compat.SideOf(new.String(), now), findings, c.failOn)
	report.Skipped = compat.Skipped(was, now)
	if err := report.Fprint(c.stdout, diag.Format(c.format)); err != nil {
		return inputError{fmt.Errorf("print the findings: %w", err)}
	}
	if report.Breaking {
		return errReported
	}
	return nil
}
