// Command suite runs the official conformance suite against the server of this module, in the versions
// that package.json pins, and the MCP Inspector against another server.
//
// A scenario that fails, or that a version has but does not run, is an error unless exclusions.txt
// gives the reason. So is a reason that holds no longer.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// run is one call of the suite: a version of it, and what of it applies.
type run struct {
	name     string // in exclusions.txt
	packages string // the name in package.json
	args     []string
}

// runs are the whole of the stable version, and of the next one what each revision requires, together
// with what it runs without scoring.
func runs() []run {
	return []run{
		{"0.1.16", "conformance-0.1", []string{"--suite", "all"}},
		{"2025-11-25", "conformance-0.2", []string{"--requirements", "2025-11-25"}},
		{"2026-07-28", "conformance-0.2", []string{"--requirements", "2026-07-28"}},
	}
}

func main() {
	node := flag.String("node", "node", "Node.js 22 or later")
	dir := flag.String("suite", "suite", "directory of package.json, exclusions.txt and node_modules")
	server := flag.String("server", "", "program of this module")
	inspected := flag.String("inspect", "", "program whose tools the Inspector checks")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := suite{node: *node, dir: *dir}
	err := s.conform(ctx, *server)
	if *inspected != "" {
		err = errors.Join(err, s.inspect(ctx, *inspected))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

// conform runs every run against a server of its own.
func (s suite) conform(ctx context.Context, program string) error {
	text, err := os.ReadFile(filepath.Join(s.dir, "exclusions.txt"))
	if err != nil {
		return err
	}
	excluded, err := parseExclusions(string(text))
	if err != nil {
		return err
	}
	found := make([]outcome, len(runs()))
	var group errgroup.Group
	for i, r := range runs() {
		group.Go(func() (err error) {
			url, end, err := serve(ctx, program) // of its own, because the suite changes lists
			if err != nil {
				return err
			}
			defer end()
			found[i], err = s.run(ctx, r, url)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var problems []error
	for i, r := range runs() {
		fmt.Println(found[i].summary(r.name))
		problems = append(problems, found[i].judge(r.name, excluded)...)
	}
	left := leftOut(found)
	fmt.Printf("conformance %s: %d scenarios of no run\n", noRun, len(left.left))
	return errors.Join(append(problems, append(left.judge(noRun, excluded), excluded.unknownRuns()...)...)...)
}
