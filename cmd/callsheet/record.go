package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/record/export"
	listener "github.com/callsheet/callsheet/internal/record/person"
	"github.com/callsheet/callsheet/internal/record/recorder"
	player "github.com/callsheet/callsheet/internal/record/replay"
)

// personRecording is one run of callsheet record.
type personRecording struct {
	program

	cfg       config
	url       string // "" only in an attached browser
	out, name string
}

// recordCommand records what a person does in a window.
func (p program) recordCommand() *cobra.Command {
	r := &personRecording{program: p}
	cmd := &cobra.Command{
		Use: "record [URL]", Short: "Record what you do in a browser window, as a script that can be replayed and exported",
		Long: "Opens a window at URL and records what you do in it: clicks, fields, keys, drags, dialogs, tabs. The recording is the\n" +
			"same as that of an agent, so callsheet replay, skills and exports take it. It ends with Stop in the bar, when the window\n" +
			"closes, or at Ctrl-C; each step is stored as it happens.\n\n" +
			"A right click offers assertions about the element under the pointer; with Shift, the page gets the click.\n" +
			"What you type into fields for passwords, codes and cards is not stored: a replay asks for it as a parameter. What is a\n" +
			"value of --secrets is stored as {secret:NAME}. A file's path is a parameter, too.\n\n" +
			"--attach records in a new tab of your own running browser, and nothing else of it (callsheet attach --list).",
		Example: "  callsheet record https://shop.example --name order\n" +
			"  callsheet record https://shop.example --out order_test.go   # also .json, .spec.ts, .workflow.yaml, .html, .trace.zip\n" +
			"  callsheet record --attach https://shop.example",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 0 && !cmd.Flags().Changed("attach") {
				return exit.Misuse(fmt.Errorf("%s takes the address to begin at", cmd.CommandPath()))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.out, "out", "", "write the recording to `FILE`, too; its extension chooses the format")
	f.StringVar(&r.name, "name", "", "call the recording `NAME`")
	r.cfg.BrowserFlags(f)
	options.FileFlags(f)
	f.Lookup("attach").NoOptDefVal = options.AttachAny
	r.cfg.Browser.Headless = false
	f.Lookup("headless").DefValue = "false"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.cfg.Validate(f); err != nil {
			return exit.Misuse(err)
		}
		if r.out != "" {
			if _, ok := export.ForFile(r.out); !ok {
				return exit.Misuse(fmt.Errorf("--out: no format has the extension of %q", r.out))
			}
		}
		if len(args) == 1 {
			r.url = args[0]
		}
		if r.lacksDisplay() {
			return exit.Misuse(errors.New("there is no display for the window: DISPLAY and WAYLAND_DISPLAY are empty; record on a desktop, or under xvfb-run"))
		}
		return r.run(cmd.Context())
	}
	return cmd
}

// lacksDisplay reports whether a window would be opened, and there is no place for it.
func (r *personRecording) lacksDisplay() bool {
	attaches := r.cfg.RemoteBrowser() != nil || r.cfg.CDPEndpoints != ""
	return runtime.GOOS == "linux" && !attaches && !r.cfg.Browser.Headless && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == ""
}

func (r *personRecording) run(ctx context.Context) error {
	log := r.cfg.Logger(r.stderr, max(r.cfg.LogLevel, slog.LevelWarn))
	built, err := r.build(r.cfg, log)
	if err != nil {
		return exit.Misuse(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.CloseTimeout)
		defer cancel()
		_ = built.Close(ctx) // the recording is stored, and nothing is left to say
	}()
	id, err := r.record(ctx, built, log)
	if id == "" {
		return err
	}
	return errors.Join(err, r.finish(context.WithoutCancel(ctx), built, id))
}

// record records until the person or the context ends it. An error with an id leaves a recording that ended early.
func (r *personRecording) record(ctx context.Context, built *app.App, log *slog.Logger) (id string, err error) {
	set, grant := built.Session(app.StdioSession), operator.Grant("record")
	c, err := set.Get("")
	if err != nil {
		return "", err
	}
	tab, err := c.Session().OpenBlank(ctx, power.NewWindow(grant))
	if err != nil {
		return "", fmt.Errorf("open a window: %w", err)
	}
	rec, err := built.Recorder().Start(ctx, app.StdioSession, recorder.Options{Label: r.name})
	if err != nil {
		return "", err
	}
	steps, err := built.Recorder().Manual(app.StdioSession)
	if err != nil {
		return rec.ID, err
	}
	watched, err := listener.Start(ctx, tab, listener.Config{
		Set: set, Steps: steps, Redact: r.cfg.Vault.Redact, EveryTab: r.cfg.RemoteBrowser() == nil && r.cfg.CDPEndpoints == "", Logger: log,
	})
	if err != nil {
		return rec.ID, err
	}
	screen := terminal.New(r.stderr)
	_ = screen.Line(fmt.Sprintf("recording %s; end it with Stop in the page, by closing the window or by Ctrl-C", rec.ID)) // the recording counts
	if r.url != "" {
		watched.Opening(tab, r.url)
		if _, err := tab.Navigate(ctx, power.NewNavigation(grant), r.url, browser.NavigateOptions{}); err != nil && ctx.Err() == nil {
			_ = screen.Line(fmt.Sprintf("callsheet: open %s: %v", terminal.Plain(r.url), err)) // the person may go elsewhere
		}
	}
	select {
	case <-watched.Done():
	case <-ctx.Done():
		watched.Stop()
	}
	if notice := steps.Notice(); notice != "" {
		err = fmt.Errorf("not recorded: %s", notice)
	}
	return rec.ID, err
}

// finish stops the recording, writes the file and says what can be done next.
func (r *personRecording) finish(ctx context.Context, built *app.App, id string) error {
	rec, err := built.Recorder().Stop(ctx, app.StdioSession)
	if err != nil {
		return fmt.Errorf("recording %s: %w", id, err)
	}
	steps, err := built.Recorder().Archive().Steps(ctx, id)
	if err != nil {
		return err
	}
	if r.out != "" {
		format, _ := export.ForFile(r.out) // it was checked
		data, err := format.Write(export.Source{Recording: rec, Steps: steps})
		if err != nil {
			return err
		}
		if err := os.WriteFile(r.out, data, 0o600); err != nil {
			return err
		}
	}
	return terminal.New(r.stdout).Text(r.summary(rec, steps))
}

// summary says what was recorded, and the next commands.
func (r *personRecording) summary(rec recorder.Recording, steps []recorder.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "recorded %s: %d steps", rec.ID, len(steps))
	if r.out != "" {
		fmt.Fprintf(&b, ", written to %s", terminal.Plain(r.out))
	}
	at := ""
	if r.cfg.StateDir != "" {
		at = " --state-dir " + r.cfg.StateDir
	}
	params := ""
	if script, err := player.Generalise(steps, nil, ""); err == nil {
		for _, p := range script.Parameters {
			params += fmt.Sprintf(" --param %s=…", p.Name)
		}
	}
	fmt.Fprintf(&b, "\n  callsheet replay %s%s%s", rec.ID, params, at)
	fmt.Fprintf(&b, "\n  callsheet replay report %s%s", rec.ID, at)
	fmt.Fprintf(&b, "\n  callsheet replay plan %s --name NAME%s", rec.ID, at)
	fmt.Fprintf(&b, "\n  callsheet recording-export %s --format playwright", rec.ID)
	fmt.Fprintf(&b, "\n  callsheet skill-record NAME --recording %s", rec.ID)
	return b.String()
}
