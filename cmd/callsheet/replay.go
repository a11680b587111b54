package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
	player "github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/record/script"
)

// replayVerbs returns the commands for recordings outside of a conversation.
type replayVerbs struct {
	program

	cfg *config
}

// replayCommand plays recordings in a browser of its own, under the gates of the same flags as a
// server.
func (p program) replayCommand() *cobra.Command {
	var cfg config
	var params []string
	var wait time.Duration
	var asJSON bool
	r := &replayVerbs{program: p, cfg: &cfg}
	cmd := &cobra.Command{
		Use: "replay FILE|ID", Short: "Play a recording, skill or plan again, up to where the site has drifted",
		Example: "  callsheet replay recording.json --param password={secret:PW} --secrets .env",
		Args:    exit.ExactArguments(1, "the file of an export, or an id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cfg.Validate(cmd.Flags()); err != nil {
				return exit.Misuse(err)
			}
			return r.run(cmd.Context(), args[0], params, wait, asJSON)
		},
	}
	cmd.Flags().StringArrayVar(&params, "param", nil, "give a parameter its value, as `NAME=VALUE`; may be repeated")
	cmd.Flags().DurationVar(&wait, "wait", player.DefaultWait, "how long a step waits for what it needs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	cfg.SurfaceFlags(cmd.Flags())
	cfg.BrowserFlags(cmd.Flags())
	options.FileFlags(cmd.Flags())
	cmd.AddCommand(r.planCommand(), p.replayReportCommand())
	return cmd
}

// run plays one script and tells how it went: exit code 0 is that everything came out as recorded.
func (r *replayVerbs) run(ctx context.Context, source string, params []string, wait time.Duration, asJSON bool) error {
	values, err := player.ParseParameters(params)
	if err != nil {
		return exit.Misuse(fmt.Errorf("--param: %w", err))
	}
	log := r.cfg.Logger(r.stderr, max(r.cfg.LogLevel, slog.LevelWarn))
	built, err := r.build(*r.cfg, log)
	if err != nil {
		return exit.Misuse(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.CloseTimeout)
		defer cancel()
		_ = built.Close(ctx) // the report is out, and nothing is left to say
	}()
	script, err := load(ctx, built, source)
	if err != nil {
		return exit.Misuse(err)
	}
	errs := terminal.New(r.stderr)
	played := player.ForSession(built.Surface.NewStaticSession(app.StdioSession), built.Session(app.StdioSession))
	report, err := played.Play(ctx, script, player.Options{Params: values, Wait: wait, Window: power.NewWindow(operator.Grant("replay")), Progress: func(done, total int, message string) {
		errs.Progress(float64(done), float64(total), message)
	}})
	errs.ClearProgress()
	var missing *player.MissingParametersError
	var unknown *player.UnknownParametersError
	switch {
	case errors.As(err, &missing), errors.As(err, &unknown):
		return exit.Misuse(fmt.Errorf("--param: %w", err))
	case err != nil:
		return err
	}
	return r.printReport(report, asJSON)
}

func (r *replayVerbs) printReport(report player.Report, asJSON bool) error {
	out := terminal.New(r.stdout)
	text := report.Text()
	if asJSON {
		data, err := json.Marshal(report)
		if err != nil {
			return err
		}
		text = string(data)
	}
	if err := out.Text(text); err != nil {
		return err
	}
	if report.Status != player.StatusCompleted {
		return exit.RefusedError{}
	}
	return nil
}

// load finds what is to be played: the file of an export or of a plan, or what is kept under an id.
func load(ctx context.Context, built *app.App, source string) (player.Script, error) {
	text, err := os.ReadFile(source)
	switch {
	case err == nil:
		return parseScript(source, text)
	case !errors.Is(err, fs.ErrNotExist) || strings.ContainsAny(source, `/\`):
		return player.Script{}, fmt.Errorf("read the recording: %w", err)
	}
	steps, err := recorder.NewArchive(built.Store).Steps(ctx, source)
	if err != nil {
		return player.Script{}, err
	}
	if len(steps) > 0 {
		return player.Generalise(steps, nil, "")
	}
	shelf := script.NewStore(built.Store)
	for _, kind := range []script.Kind{script.Skill, script.Plan} {
		e, err := shelf.Get(ctx, kind, source)
		if !errors.Is(err, script.ErrNotFound) {
			return e.Script, err
		}
	}
	return player.Script{}, fmt.Errorf("%q is no file, and no recording, skill or plan has that id", source)
}

func parseScript(name string, text []byte) (player.Script, error) {
	var plan script.Entry
	if json.Unmarshal(text, &plan) == nil && len(plan.Script.Steps) > 0 {
		if err := plan.Script.Check(); err != nil {
			return player.Script{}, fmt.Errorf("%s: %w", name, err)
		}
		return plan.Script, nil
	}
	source, err := export.Read(text)
	if err != nil {
		return player.Script{}, fmt.Errorf("%s: %w", name, err)
	}
	return player.Generalise(source.Steps, nil, "")
}
