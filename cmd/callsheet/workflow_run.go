package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/workflow"
)

// runFlags are the flags of run.
type runFlags struct {
	args   string // JSON object
	save   string // directory of pictures; "" saves none
	asJSON bool
}

func (w *workflowVerbs) runCommand() *cobra.Command {
	var opt runFlags
	var dry bool
	cmd := &cobra.Command{
		Use: "run NAME [KEY=VALUE…]", Short: "Run one workflow", Args: cobra.MinimumNArgs(1),
		Example: "  callsheet workflow run page_title url=https://example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			if dry {
				return w.dryRun(cmd, args[0], args[1:], opt.args)
			}
			return w.run(cmd, args[0], args[1:], opt)
		},
	}
	cmd.Flags().StringVar(&opt.args, "args", "", "the arguments as one `JSON` object")
	cmd.Flags().StringVar(&opt.save, "save", "", "write pictures to this `DIR`ectory")
	cmd.Flags().BoolVar(&opt.asJSON, "json", false, "print the result as JSON")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print what would be called with which arguments, and call nothing")
	return cmd
}

func (w *workflowVerbs) dryRun(cmd *cobra.Command, name string, pairs []string, raw string) error {
	set, reg, done, err := w.open()
	if err != nil {
		return err
	}
	defer done()
	args, err := set.Arguments(name, pairs, raw)
	if err != nil {
		return exit.Misuse(err)
	}
	out, err := set.DryRun(cmd.Context(), reg, name, args)
	if err != nil {
		return exit.Misuse(err)
	}
	if err := json.NewEncoder(w.stdout).Encode(out); err != nil {
		return err
	}
	if out.Error != nil {
		return exit.RefusedError{}
	}
	return nil
}

// run calls the workflow through the same surface and dispatcher as a client.
func (w *workflowVerbs) run(cmd *cobra.Command, name string, pairs []string, opt runFlags) error {
	if err := w.cfg.Validate(cmd.Flags()); err != nil {
		return exit.Misuse(err)
	}
	log := w.cfg.Logger(w.stderr, w.cfg.LogLevel)
	cfg := *w.cfg
	cfg.Surface.Scope = workflow.Scope
	built, err := w.build(cfg, log)
	if err != nil {
		return exit.Misuse(err)
	}
	defer func() { // also when it was interrupted
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), options.CloseTimeout)
		defer cancel()
		_ = built.Close(ctx)
	}()
	args, err := built.Workflows.Arguments(name, pairs, opt.args)
	if err != nil {
		return exit.Misuse(err)
	}
	screen, shown := terminal.New(w.stderr), ""
	res, err := built.Surface.NewStaticSession(app.StdioSession).Dispatch(cmd.Context(), toolkit.Request{
		Tool: name, Args: args, Logger: log, Elicit: elicitOn(terminal.NewPrompt(w.stdin, w.stderr)),
		Progress: func(done, total float64, message string) {
			if screen.Progress(done, total, message); !screen.IsTerminal() && message != shown {
				_ = screen.Line(terminal.Plain(message)) // the result counts
			}
			shown = message
		},
	})
	screen.ClearProgress()
	if err != nil {
		return exit.Misuse(err)
	}
	if err := w.printResult(res, opt.save, opt.asJSON); err != nil {
		return err
	}
	if res.Refused {
		return exit.RefusedError{}
	}
	return nil
}

// elicitOn asks the person at a terminal; nil without one.
func elicitOn(prompt *terminal.Prompt) toolkit.Asker {
	if prompt == nil {
		return nil
	}
	return func(ctx context.Context, q toolkit.Question) (toolkit.Reply, error) {
		values, accepted, err := prompt.Ask(ctx, q.Message, q.Schema)
		return toolkit.Reply{Action: promptAction(accepted), Values: values}, err
	}
}

func (w *workflowVerbs) printResult(res toolkit.CallResult, save string, asJSON bool) error {
	type item struct {
		Text  string `json:"text,omitempty"`
		MIME  string `json:"mime,omitempty"`
		File  string `json:"file,omitempty"`
		Bytes int    `json:"bytes,omitempty"`
	}
	items := []item{}
	for i, c := range res.Content {
		it := item{Text: c.Text, MIME: c.MIME, Bytes: len(c.Data)}
		if c.Data != nil && save != "" {
			it.File = filepath.Join(save, fmt.Sprintf("%d.%s", i+1, c.MIME[strings.LastIndex(c.MIME, "/")+1:]))
			if err := os.MkdirAll(save, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(it.File, c.Data, 0o644); err != nil {
				return err
			}
		}
		items = append(items, it)
	}
	if asJSON {
		out := map[string]any{"content": items, "links": res.Links, "isError": res.Refused}
		if res.Structured != nil {
			out["structuredContent"] = json.RawMessage(res.Structured)
		}
		return json.NewEncoder(w.stdout).Encode(out)
	}
	for _, it := range items {
		text := it.Text
		if it.Bytes > 0 {
			text = strings.TrimSpace(fmt.Sprintf("%s, %d bytes %s", it.MIME, it.Bytes, it.File))
		}
		if _, err := fmt.Fprintln(w.stdout, text); err != nil {
			return err
		}
	}
	for _, l := range res.Links {
		_, _ = fmt.Fprintln(w.stdout, l.Name, l.URI)
	}
	return nil
}

func (w *workflowVerbs) loginCommand() *cobra.Command {
	return &cobra.Command{
		Use: "login ALIAS", Short: "Log in to a server that wants OAuth", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			w.cfg.Workflows.Browse = func(address string) error {
				_, err := fmt.Fprintf(w.stderr, "open this address in a browser:\n\n  %s\n\n", address)
				return err
			}
			servers, done, err := w.openServers()
			if err != nil {
				return err
			}
			defer done()
			if err := servers.Login(cmd.Context(), args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.stdout, "logged in to %s\n", args[0])
			return err
		},
	}
}
