package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/workflow"
	"github.com/callsheet/callsheet/internal/workflow/external"
)

// workflowCommand is everything about workflows that is not serving them.
func (p program) workflowCommand() *cobra.Command {
	var cfg config
	cmd := &cobra.Command{Use: "workflow", Short: "Write, check and run workflows"}
	f := cmd.PersistentFlags()
	cfg.BrowserFlags(f)
	f.StringVar(&cfg.Workflows.Path, "workflows", ".", "the `DIR`ectory of workflows, or one file")
	f.BoolVar(&cfg.Workflows.Locked, "locked", false, "refuse servers whose tools are not those of servers.lock.json")
	options.FileFlags(f)
	w := &workflowVerbs{program: p, cfg: &cfg}
	cmd.AddCommand(w.initCommand(), w.validateCommand(), w.inspectCommand(), w.runCommand(), w.lockCommand(), w.loginCommand())
	return cmd
}

type workflowVerbs struct {
	program

	cfg *config
}

// open reads the workflows and the table of built-in tools; nothing is started.
func (w *workflowVerbs) open() (*workflow.Set, *toolkit.Registry, func(), error) {
	log := w.cfg.Logger(w.stderr, w.cfg.LogLevel)
	plain := *w.cfg
	plain.Workflows = app.Workflows{}
	built, err := w.build(plain, log)
	if err != nil {
		return nil, nil, nil, exit.Misuse(err)
	}
	set, err := app.OpenWorkflows(appConfig(w.cfg, log), built.Artifacts)
	if err != nil {
		return nil, nil, nil, exit.Misuse(err)
	}
	return set, built.Surface.Registry(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), options.CloseTimeout)
		defer cancel()
		_ = errors.Join(set.Close(ctx), built.Close(ctx)) // the answer is out, and nothing is left to say
	}, nil
}

// openServers opens the registry of the servers, which a file must name.
func (w *workflowVerbs) openServers() (*external.Registry, func(), error) {
	set, _, done, err := w.open()
	if err == nil && set.Registry() == nil {
		done()
		err = exit.Misuse(errors.New("there is no servers.json"))
	}
	if err != nil {
		return nil, nil, err
	}
	return set.Registry(), done, nil
}

// The files that init writes.
const (
	initWorkflows = `# Each key is one tool of the server: callsheet --workflows . --scope workflows
page_title:
  description: Open a page and tell its title.
  parameters:
    url: { type: string, required: true }
  steps:
    - call: callsheet:navigate
      args: { url: "{{ url }}" }
    - id: title
      call: callsheet:javascript_tool
      args: { code: document.title }
  show: [title]
`
	initServers = `{
  "servers": {
  }
}
`
)

func (w *workflowVerbs) initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init [DIR]", Short: "Write a first workflow and an empty servers.json", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := w.cfg.Workflows.Path
			if len(args) > 0 {
				dir = args[0]
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return exit.Misuse(err)
			}
			for name, text := range map[string]string{"workflows.yaml": initWorkflows, "servers.json": initServers} {
				file, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
				if err != nil {
					return exit.Misuse(fmt.Errorf("write %s: %w", name, err))
				}
				_, err = io.WriteString(file, text)
				if err = errors.Join(err, file.Close()); err != nil {
					return fmt.Errorf("write %s: %w", name, err)
				}
			}
			_, err := fmt.Fprintf(w.stdout, "wrote %s and %s\n", filepath.Join(dir, "workflows.yaml"), filepath.Join(dir, "servers.json"))
			return err
		},
	}
}

func (w *workflowVerbs) validateCommand() *cobra.Command {
	var asJSON, offline bool
	cmd := &cobra.Command{
		Use: "validate", Short: "Check every file, name, tool and argument", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, reg, done, err := w.open()
			if err != nil {
				return err
			}
			defer done()
			got := set.Validate(cmd.Context(), reg, offline)
			if err := w.printChecked(set, got, asJSON); err != nil {
				return err
			}
			if got.Diags.HasErrors() || len(got.Unreachable) > 0 {
				return exit.RefusedError{}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the problems as JSON")
	cmd.Flags().BoolVar(&offline, "offline", false, "ask no server; check with what is known of them")
	return cmd
}

func (w *workflowVerbs) printChecked(set *workflow.Set, got *workflow.ValidationReport, asJSON bool) error {
	if asJSON {
		return got.Diags.Fprint(w.stdout, "json", nil)
	}
	if err := got.Diags.Fprint(w.stdout, "text", set.Source()); err != nil {
		return err
	}
	for alias, err := range got.Unreachable {
		_, _ = fmt.Fprintf(w.stdout, "server %s: %v\n", alias, err)
	}
	_, err := fmt.Fprintf(w.stdout, "workflows: %d offered, %d not\n", len(got.Offered), len(got.Broken))
	return err
}

func (w *workflowVerbs) inspectCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "inspect [ALIAS[:TOOL]]", Short: "Show workflows, servers and the tools that steps can call", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, reg, done, err := w.open()
			if err != nil {
				return err
			}
			defer done()
			catalogs, failed := set.Catalogs(cmd.Context(), reg)
			alias, tool, _ := strings.Cut(strings.Join(args, ""), ":")
			if asJSON {
				return json.NewEncoder(w.stdout).Encode(map[string]any{"workflows": set.Workflows(), "servers": catalogs})
			}
			for _, f := range set.Workflows() {
				if alias == "" {
					_, _ = fmt.Fprintf(w.stdout, "%s: %s (%s)\n", f.Name, f.Description, strings.Join(f.Aliases(), ", "))
				}
			}
			for _, c := range catalogs {
				if alias != "" && c.Alias != alias {
					continue
				}
				_, _ = fmt.Fprintf(w.stdout, "\n%s: %d tools\n", c.Alias, len(c.Tools))
				for _, t := range c.Tools {
					switch tool {
					case t.Name:
						_, _ = fmt.Fprintf(w.stdout, "  %s: %s\n  %s\n", t.Name, t.Description, t.InputSchema)
					case "":
						line, _, _ := strings.Cut(t.Description, "\n")
						_, _ = fmt.Fprintf(w.stdout, "  %s: %s\n", t.Name, line)
					}
				}
			}
			for name, err := range failed {
				_, _ = fmt.Fprintf(w.stdout, "\n%s: %v\n", name, err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func (w *workflowVerbs) lockCommand() *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use: "lock", Short: "Compare the servers' tools with servers.lock.json, or write it", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			servers, done, err := w.openServers()
			if err != nil {
				return err
			}
			defer done()
			changes, err := servers.Lock(cmd.Context(), update)
			for _, c := range changes { // those of the servers that answered
				_, _ = fmt.Fprintln(w.stdout, c)
			}
			if err != nil {
				return err
			}
			if len(changes) > 0 && !update {
				return exit.RefusedError{}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "write servers.lock.json as the servers are now")
	return cmd
}
