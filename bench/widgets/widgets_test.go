package widgets

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The flags, after -args.
var (
	dirFlag     = flag.String("dir", "testdata", "directory of pages, tasks and node_modules")
	serverFlag  = flag.String("server", "", "command line of the MCP server; without it the test is skipped")
	adapterFlag = flag.String("adapter", callsheetAdapter, "whose tools the server has: callsheet or playwright")
	onlyFlag    = flag.String("only", "", "solve only tasks whose page/name contains this")
	outFlag     = flag.String("out", "", "write the outcome to this JSON file")
	tableFlag   = flag.String("table", "", "run nothing: print a Markdown table of outcomes, NAME=FILE of each server between commas")
	openingFlag = flag.String("opening", "", "count also the calls that open a page: none (navigate without a reading, then read_page) or read (what navigate answers, then its rest)")
	leastFlag   = flag.Float64("least", 0, "fail when less than this share of the tasks is solved (0 to 1)")
	showFlag    = flag.Bool("show", false, "print the answers of tasks that are not solved")
)

// callsheetAdapter is the flag's value for Callsheet.
const callsheetAdapter = "callsheet"

// outcome is how one task ended.
type outcome struct {
	Page, Task string
	Solved     bool
	Calls      int // after the first reading
	Bytes      int // of the answers to those calls
	Reason     string
}

// TestTable prints the table of docs/internals/measurements.md.
func TestTable(t *testing.T) {
	if *tableFlag == "" {
		t.Skip("-table names the outcomes")
	}
	results, err := readResults(*tableFlag)
	if err == nil {
		err = writeTable(os.Stdout, results)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestWidgets starts a server and solves the chosen tasks with it.
func TestWidgets(t *testing.T) {
	if *serverFlag == "" {
		t.Skip("make widgets runs this")
	}
	file, err := os.Open(filepath.Join(*dirFlag, "tasks.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // opened for reading
	pages, err := parseSuite(file)
	if err != nil {
		t.Fatalf("tasks.txt: %v", err)
	}
	site, err := serveSite(*dirFlag)
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	driver, err := startDriver(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	outcomes := suite{driver: driver, site: site.URL}.solve(t.Context(), pages)
	if *outFlag != "" {
		if err := writeOutcomes(*outFlag, outcomes); err != nil {
			t.Fatal(err)
		}
	}
	if share := summarize(outcomes); share < *leastFlag || len(outcomes) == 0 {
		t.Errorf("solved %.1f %% of %d tasks, want %.1f %%", 100*share, len(outcomes), 100**leastFlag)
	}
}

// suite is one run over the pages.
type suite struct {
	driver *driver
	site   string // URL of the pages
}

// solve does every chosen task and prints a line for each.
func (s suite) solve(ctx context.Context, pages []page) []outcome {
	var outcomes []outcome
	for _, p := range pages {
		for _, t := range p.tasks {
			if strings.Contains(p.name+"/"+t.name, *onlyFlag) && ctx.Err() == nil {
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
	fmt.Printf("%s %-50s %2d calls %6d bytes %s\n", verdict, p.name+"/"+t.name, out.Calls, out.Bytes, out.Reason)
	if err != nil && *showFlag {
		fmt.Println(d.transcript())
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

// summarize prints and returns the share of solved tasks, and prints the medians of calls and bytes.
func summarize(outcomes []outcome) (share float64) {
	calls, bytes := costs(outcomes)
	solved := len(calls)
	share = float64(solved) / float64(max(1, len(outcomes)))
	allCalls, allBytes := 0, 0
	for _, o := range outcomes {
		allCalls, allBytes = allCalls+o.Calls, allBytes+o.Bytes
	}
	fmt.Printf("solved %d of %d (%.1f %%), median %d calls and %d bytes a solved task, in all %d calls and %d bytes\n",
		solved, len(outcomes), 100*share, median(calls), median(bytes), allCalls, allBytes)
	return share
}

func median(values []int) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}
