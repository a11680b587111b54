package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"sync"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
	player "github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/record/script"
)

// planName is the grammar of plans' names, which are arguments of a tool and words of a command
// line.
var planName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`) })

// planFlags are the flags about a plan.
type planFlags struct {
	name, description, contract string
	params                      []string
	retries                     int
	print                       bool
}

// planCommand makes plans, which only people make: an agent runs what somebody has looked at.
func (r *replayVerbs) planCommand() *cobra.Command {
	var o planFlags
	cmd := &cobra.Command{
		Use: "plan RECORDING|FILE", Short: "Make a plan of a recording, for " + toolset.ToolExecutePlan,
		Long: "Make a plan of a recording: by its id, from an export, or from a plan that --print has printed and somebody has edited.\n" +
			"In the plan, handling says by step number what happens when the step does not end as recorded: retries, onError (steps),\n" +
			"and then (retry, continue or stop); as names its answer in the data of the run.",
		Example: "  callsheet replay plan recording.json --name sign-in --retries 1",
		Args:    exit.ExactArguments(1, "the id of a recording, or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.name != "" && !planName().MatchString(o.name) {
				return exit.Misuse(errors.New("--name: a name is 1 to 100 of A-Z a-z 0-9 . _ -"))
			}
			return r.plan(cmd.Context(), args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "the plan's `ID` (default that of the recording)")
	f.StringVar(&o.description, "description", "", "what it is for")
	f.StringArrayVar(&o.params, "param", nil, "make a value of the recording a parameter, as `NAME=VALUE`; may be repeated")
	f.StringVar(&o.contract, "contract", "", "what proves success, as `JSON` (default the recording's last contract that passed)")
	f.IntVar(&o.retries, "retries", 0, "try each step `N` times more")
	f.BoolVar(&o.print, "print", false, "print the plan and keep nothing")
	f.StringVar(&r.cfg.StateDir, "state-dir", "", "keep what outlives a call in `DIR`ectory (default callsheet in the user's state directory)")
	return cmd
}

func (r *replayVerbs) plan(ctx context.Context, source string, o planFlags) error {
	built, err := r.build(*r.cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return exit.Misuse(err)
	}
	defer func() { _ = built.Close(ctx) }()
	e, err := o.entry(ctx, built, source)
	if err != nil {
		return exit.Misuse(err)
	}
	if o.print {
		enc := json.NewEncoder(r.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(e)
	}
	if e, err = script.NewStore(built.Store).Save(ctx, e); err != nil {
		return err
	}
	text := fmt.Sprintf("kept plan %s: %d steps", e.Name, len(e.Script.Steps))
	for _, p := range e.Script.Parameters {
		text += ", parameter " + p.Name
		if p.Default == nil {
			text += " (required)"
		}
	}
	if e.Script.Contract == "" {
		text += "\nit has no contract, so that no run of it is a success; --contract gives it one"
	}
	_, err = fmt.Fprintln(r.stdout, text)
	return err
}

// entry makes the plan of a file or of a recording.
func (p planFlags) entry(ctx context.Context, built *app.App, source string) (e script.Entry, err error) {
	text, failed := os.ReadFile(source)
	if failed == nil && json.Unmarshal(text, &e) == nil && len(e.Script.Steps) > 0 {
		if len(p.params) > 0 {
			return e, fmt.Errorf("--param: %s is a plan, whose parameters are in it; give values of a recording", source)
		}
		e.Kind = script.Plan
		return e, p.apply(&e)
	}
	e = script.Entry{Kind: script.Plan, Name: source, Recording: source}
	var steps []recorder.Step
	if failed == nil {
		file, err := export.Read(text)
		if err != nil {
			return e, fmt.Errorf("%s: %w", source, err)
		}
		steps, e.Name, e.Recording = file.Steps, file.Recording.ID, file.Recording.ID
	} else if steps, err = recorder.NewArchive(built.Store).Steps(ctx, source); err != nil {
		return e, err
	}
	if len(steps) == 0 {
		return e, fmt.Errorf("%q is no file, and no recording with steps has that id", source)
	}
	named, err := player.ParseParameters(p.params)
	if err != nil {
		return e, fmt.Errorf("--param: %w", err)
	}
	if e.Script, err = player.Generalise(steps, named, player.LastContract(steps)); err != nil {
		return e, err
	}
	return e, p.apply(&e)
}

// apply puts what the flags say into a plan and checks the whole.
func (p planFlags) apply(e *script.Entry) error {
	if p.name != "" {
		e.Name = p.name
	}
	if p.description != "" {
		e.Description = p.description
	}
	if p.contract != "" {
		e.Script.Contract = p.contract
	}
	if err := player.CheckContract(e.Script.Contract); err != nil {
		return fmt.Errorf("--contract: %w", err)
	}
	for _, s := range e.Script.Steps {
		if h := e.Script.Handling[s.Seq]; p.retries > 0 && h.Retries == 0 {
			if e.Script.Handling == nil {
				e.Script.Handling = map[int]player.Handling{}
			}
			h.Retries = p.retries
			e.Script.Handling[s.Seq] = h
		}
	}
	if !planName().MatchString(e.Name) {
		return errors.New("the plan has no name that can be one; give --name")
	}
	return e.Script.Check()
}
