package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// jobVerbs are the commands about jobs.
type jobVerbs struct{ program }

// jobsCommand builds the verbs about jobs.
func (p program) jobsCommand() *cobra.Command {
	v := jobVerbs{p}
	root := &cobra.Command{Use: "jobs", Short: "Work that outlives a call: list it, follow it, do it"}
	root.AddCommand(v.listCommand(), v.showCommand(), v.cancelCommand(), v.workCommand())
	return root
}

// newCommand builds a verb on the jobs of a database. The verb itself does none of them.
func (v jobVerbs) newCommand(use, short string, args cobra.PositionalArgs, run func(v jobVerbs, ctx context.Context, all *jobs.Jobs, args []string, asJSON bool) error) *cobra.Command {
	var cfg config
	var asJSON bool
	cmd := &cobra.Command{Use: use, Short: short, Args: args}
	once := func(v jobVerbs, cmd *cobra.Command, args []string) (err error) {
		if err := cfg.ReadDatabase(); err != nil {
			return exit.Misuse(err)
		}
		kept, err := stateAt(cfg.StateDir)
		if err != nil {
			return err
		}
		all := jobs.New(jobs.Config{Dir: kept, URL: cfg.Database, Kinds: []jobs.Kind{crawl.New(nil, nil)}})
		defer func() { err = errors.Join(err, all.Close(context.WithoutCancel(cmd.Context()))) }()
		if !all.Exists() {
			if len(args) > 0 {
				return unknownJob(args[0])
			}
			return run(v, cmd.Context(), nil, args, asJSON)
		}
		err = run(v, cmd.Context(), all, args, asJSON)
		if errors.Is(err, jobs.ErrNotFound) {
			return unknownJob(args[0])
		}
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if watched, err := cmd.Flags().GetBool(flagWatch); err != nil || !watched { // not every verb has the flag
			return once(v, cmd, args)
		}
		return v.watch(cmd.Context(), func(p program) error { return once(jobVerbs{p}, cmd, args) })
	}
	cmd.Flags().StringVar(&cfg.StateDir, "state-dir", "", "the state `DIR`ectory whose jobs these are")
	cmd.Flags().StringVar(&cfg.Database, "database-url", "", "the Postgres database, postgres://`…`, whose jobs these are; "+options.DatabaseVariable+" sets it unseen")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	options.FileFlags(cmd.Flags())
	return cmd
}

func unknownJob(id string) error {
	return exit.Misuse(fmt.Errorf("there is no job %.40q; callsheet jobs list shows what there is", id))
}

// oneJobID wants the id of a job.
func oneJobID(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return exit.Misuse(fmt.Errorf("%s takes the id of a job", cmd.Name()))
}

const maxListedJobs = 50 // jobs at most

func (v jobVerbs) listCommand() *cobra.Command {
	cmd := v.newCommand("list", "List jobs and who works on them", noArguments, func(v jobVerbs, ctx context.Context, all *jobs.Jobs, _ []string, asJSON bool) error {
		list, workers := []jobs.Job{}, []jobs.Worker{}
		if all != nil {
			var err error
			if list, err = all.List(ctx, maxListedJobs); err != nil {
				return err
			}
			if workers, err = all.Workers(ctx); err != nil {
				return err
			}
		}
		if asJSON {
			return v.printJSON(map[string]any{"jobs": list, "workers": workers})
		}
		out := terminal.New(v.stdout)
		for _, j := range list {
			if err := out.Line(fmt.Sprintf("%s  %-9s  %6d/%-6d  %s  %s %s", j.ID, j.State, j.Done, j.Total, j.Created.Format(time.DateTime), j.Kind, j.Title)); err != nil {
				return err
			}
		}
		if len(list) == 0 {
			if err := out.Line("no jobs"); err != nil {
				return err
			}
		}
		for _, w := range workers {
			if err := out.Line(fmt.Sprintf("worker %s: process %d on %s, %d at once, since %s", w.ID, w.PID, w.Host, w.Slots, w.Since.Format(time.DateTime))); err != nil {
				return err
			}
		}
		return nil
	})
	watchFlag(cmd.Flags())
	return cmd
}

func (v jobVerbs) showCommand() *cobra.Command {
	var results bool
	var after int64
	cmd := v.newCommand("show ID", "Show a job, or its results as JSON lines", oneJobID, func(v jobVerbs, ctx context.Context, all *jobs.Jobs, args []string, asJSON bool) error {
		if results {
			if _, err := all.Get(ctx, args[0]); err != nil {
				return err
			}
			_, err := crawl.WriteResults(ctx, all, args[0], after, v.stdout)
			return err
		}
		return v.show(ctx, all, args[0], asJSON)
	})
	watchFlag(cmd.Flags())
	cmd.Flags().BoolVar(&results, "results", false, "print the results instead")
	cmd.Flags().Int64Var(&after, "after", 0, "of the results only those after this `CURSOR`")
	return cmd
}

func (v jobVerbs) show(ctx context.Context, all *jobs.Jobs, id string, asJSON bool) error {
	r, err := crawl.Inspect(ctx, all, id)
	if err != nil {
		return err
	}
	if asJSON {
		return v.printJSON(r)
	}
	out := terminal.New(v.stdout)
	lines := []string{
		fmt.Sprintf("%s %s of %s, %s", r.ID, r.Kind, r.Title, r.State),
		fmt.Sprintf("%d of %d known steps, %d failed, %d hands", r.Done, r.Total, r.Failed, r.Concurrency),
		"begun " + r.Created.Format(time.DateTime),
	}
	if !r.Finished.IsZero() {
		lines = append(lines, fmt.Sprintf("ended %s, after %v", r.Finished.Format(time.DateTime), r.Finished.Sub(r.Created).Round(time.Millisecond)))
	}
	outcomes, err := json.Marshal(r.Outcomes)
	if err != nil {
		return err
	}
	lines = append(lines, string(outcomes))
	for _, t := range r.Traps {
		lines = append(lines, fmt.Sprintf("left out %d addresses like %s", t.Dropped, t.Pattern))
	}
	return out.Line(strings.Join(lines, "\n"))
}

func (v jobVerbs) cancelCommand() *cobra.Command {
	return v.newCommand("cancel ID", "End a job; what was done of it stays", oneJobID, func(v jobVerbs, ctx context.Context, all *jobs.Jobs, args []string, asJSON bool) error {
		if _, err := all.Cancel(ctx, args[0]); err != nil {
			return err
		}
		return v.show(ctx, all, args[0], asJSON)
	})
}

// workCommand builds the verb that works on jobs until it is interrupted.
func (v jobVerbs) workCommand() *cobra.Command {
	var cfg config
	cmd := &cobra.Command{Use: "work", Short: "Work on jobs until interrupted, on any machine that reaches the database", Args: noArguments}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cfg.Validate(cmd.Flags()); err != nil {
			return exit.Misuse(err)
		}
		if cfg.JobSlots < 1 || cfg.JobSlots > 1000 {
			return exit.Misuse(errors.New("--slots is 1 to 1000"))
		}
		return v.work(cmd.Context(), cfg)
	}
	cfg.BrowserFlags(cmd.Flags())
	options.FileFlags(cmd.Flags())
	cmd.Flags().IntVar(&cfg.JobSlots, "slots", 16, "do this `MANY` things at once")
	return cmd
}

func (v jobVerbs) work(ctx context.Context, cfg config) (err error) {
	log := cfg.Logger(v.stderr, cfg.LogLevel)
	runner, err := app.NewJobRunner(appConfig(&cfg, log))
	if err != nil {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.CloseTimeout)
		defer cancel()
		err = errors.Join(err, runner.Close(ending))
	}()
	if err := runner.Jobs.Work(ctx, true); err != nil {
		return err
	}
	workers, err := runner.Jobs.Workers(ctx)
	if err != nil {
		return err
	}
	log.Info("working on jobs", "slots", cfg.JobSlots, "workers", len(workers))
	<-ctx.Done()
	return nil
}

func (p program) printJSON(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return p.printLine("%s", text)
}
