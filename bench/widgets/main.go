// Command widgets solves small tasks on pages of component libraries through an MCP server, and
// writes a table of how many calls and bytes each took.
//
// The pages load libraries that other people wrote, pinned in package.json; "make widgets" fetches
// them. The command must not know how a server works: it speaks MCP over stdio, with one adapter
// for each server that it can drive.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "widgets:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	dir, server, adapter, only, out, table, opening string
	least                                           float64
	verbose                                         bool
}

func parseFlags(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("widgets", flag.ContinueOnError)
	flags.StringVar(&o.dir, "dir", "bench/widgets/testdata", "directory of pages, tasks and node_modules")
	flags.StringVar(&o.server, "server", "bin/callsheet", "command line of the MCP server")
	flags.StringVar(&o.adapter, "adapter", "callsheet", "whose tools the server has: callsheet or playwright")
	flags.StringVar(&o.only, "only", "", "solve only tasks whose page/name contains this")
	flags.StringVar(&o.out, "out", "", "write the outcome to this JSON file")
	flags.StringVar(&o.table, "table", "", "run nothing: print a Markdown table of outcomes, NAME=FILE of each server between commas")
	flags.StringVar(&o.opening, "opening", "", "count also the calls that open a page: none (navigate without a reading, then read_page) or read (what navigate answers, then its rest)")
	flags.Float64Var(&o.least, "least", 0, "fail when less than this share of the tasks is solved (0 to 1)")
	flags.BoolVar(&o.verbose, "v", false, "show the answers of tasks that are not solved")
	return o, flags.Parse(args)
}

// outcome is how one task ended.
type outcome struct {
	Page, Task string
	Solved     bool
	Calls      int // after the first reading
	Bytes      int // of the answers to those calls
	Reason     string
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	o, err := parseFlags(args)
	if err != nil {
		return err
	}
	if o.table != "" {
		results, err := readResults(o.table)
		if err != nil {
			return err
		}
		return writeTable(stdout, results)
	}
	outcomes, err := runSuite(ctx, o, stdout)
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := writeOutcomes(o.out, outcomes); err != nil {
			return err
		}
	}
	return summarize(stdout, outcomes, o.least)
}

// runSuite starts a server and solves the chosen tasks with it.
func runSuite(ctx context.Context, o options, stdout io.Writer) ([]outcome, error) {
	file, err := os.Open(filepath.Join(o.dir, "tasks.txt"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // opened for reading
	pages, err := parseSuite(file)
	if err != nil {
		return nil, fmt.Errorf("tasks.txt: %w", err)
	}
	site, err := serveSite(o.dir)
	if err != nil {
		return nil, err
	}
	defer site.Close()
	files, err := os.MkdirTemp("", "widgets-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(files) }() // a temporary directory
	driver, err := startDriver(ctx, o, files)
	if err != nil {
		return nil, err
	}
	defer driver.Close()
	return suite{driver: driver, site: site.URL, options: o, stdout: stdout}.solve(ctx, pages), nil
}

// suite is one run over the pages.
type suite struct {
	driver  *driver
	site    string // URL of the pages
	options options
	stdout  io.Writer
}

// solve does every chosen task and prints a line for each.
func (s suite) solve(ctx context.Context, pages []page) []outcome {
	var outcomes []outcome
	for _, p := range pages {
		for _, t := range p.tasks {
			if strings.Contains(p.name+"/"+t.name, s.options.only) && ctx.Err() == nil {
				outcomes = append(outcomes, s.solveTask(ctx, p, t))
			}
		}
	}
	return outcomes
}

func (s suite) solveTask(ctx context.Context, p page, t task) outcome {
	d := s.driver
	d.begin()
	err := d.solve(ctx, s.site+"/"+p.name+".html", t)
	out := outcome{Page: p.name, Task: t.name, Solved: err == nil, Calls: d.calls, Bytes: d.bytes}
	verdict := "ok  "
	if err != nil {
		verdict, out.Reason = "FAIL", err.Error()
	}
	fmt.Fprintf(s.stdout, "%s %-50s %2d calls %6d bytes %s\n", verdict, p.name+"/"+t.name, out.Calls, out.Bytes, out.Reason)
	if err != nil && s.options.verbose {
		fmt.Fprintln(s.stdout, d.transcript())
	}
	return out
}

func writeOutcomes(path string, outcomes []outcome) error {
	data, err := json.MarshalIndent(outcomes, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// summarize prints the share of solved tasks and the medians of calls and bytes. It fails below the
// least share.
func summarize(w io.Writer, outcomes []outcome, least float64) error {
	calls, bytes := costs(outcomes)
	solved := len(calls)
	share := float64(solved) / float64(max(1, len(outcomes)))
	allCalls, allBytes := 0, 0
	for _, o := range outcomes {
		allCalls, allBytes = allCalls+o.Calls, allBytes+o.Bytes
	}
	fmt.Fprintf(w, "solved %d of %d (%.1f %%), median %d calls and %d bytes a solved task, in all %d calls and %d bytes\n",
		solved, len(outcomes), 100*share, median(calls), median(bytes), allCalls, allBytes)
	if share < least || len(outcomes) == 0 {
		return fmt.Errorf("solved %.1f %% of %d tasks, want %.1f %%", 100*share, len(outcomes), 100*least)
	}
	return nil
}

func median(values []int) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}
