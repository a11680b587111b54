// Command questions asks two MCP servers the same questions about the same pages, those of a developer:
// why an element is red, what a page logged, what a request was. It prints a Markdown table of the
// calls, bytes and time of each answer, and of which facts it had.
//
// It speaks MCP over stdio and knows the tools of both servers by name; it must not know how either
// finds its answers.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "questions:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	pages, callsheet, devtools, only, then string
	rounds                                 int
	verbose                                bool
}

func parseFlags(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("questions", flag.ContinueOnError)
	flags.StringVar(&o.pages, "pages", "tools/styles/testdata", "directory of the pages about styles")
	flags.StringVar(&o.callsheet, "callsheet", "bin/callsheet --headless", "command line of Callsheet")
	flags.StringVar(&o.devtools, "devtools", "", "command line of chrome-devtools-mcp; empty: it is not asked")
	flags.StringVar(&o.only, "only", "", "ask only questions that contain this")
	flags.StringVar(&o.then, "then", "", "the reading that navigate has; empty: its default")
	flags.IntVar(&o.rounds, "rounds", 3, "how often each question is asked, from 1; times are medians")
	flags.BoolVar(&o.verbose, "v", false, "show the answers")
	return o, flags.Parse(args)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parseFlags(args)
	if err != nil {
		return err
	}
	site, end, err := serve(o.pages)
	if err != nil {
		return err
	}
	defer end()
	servers, err := startAll(ctx, o)
	defer func() {
		for _, s := range servers {
			s.Close()
		}
	}()
	if err != nil {
		return err
	}
	all, err := questions()
	if err != nil {
		return err
	}
	var rows []row
	for _, q := range all {
		if !strings.Contains(q.Name, o.only) {
			continue
		}
		r := row{question: q}
		for _, s := range servers {
			a, err := s.ask(ctx, q, site, o.rounds)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", s.name, q.Name, err)
			}
			if o.verbose {
				fmt.Fprintf(out, "### %s: %s\n\n```\n%s\n```\n\n", s.name, q.Name, a.text)
			}
			r.answers = append(r.answers, a)
		}
		rows = append(rows, r)
	}
	writeTable(out, servers, rows)
	fmt.Fprintf(out, "\nnavigate of %s answered %d bytes in all\n", servers[0].name, servers[0].opened)
	return nil
}

// startAll starts the servers that the flags name. Those that were started are returned with an error too.
func startAll(ctx context.Context, o options) (servers []*server, err error) {
	for _, p := range []struct {
		name, command, version string
		steps                  func(question) []step
		every                  map[string]any
	}{
		{"callsheet", o.callsheet, "2025-11-25", func(q question) []step { return q.Callsheet }, nil},
		{"chrome-devtools-mcp", o.devtools, "2025-06-18", func(q question) []step { return q.DevTools }, map[string]any{"pageId": 1}},
	} {
		if p.command == "" {
			continue
		}
		s, err := start(ctx, p.name, p.command, p.version)
		if err != nil {
			return servers, err
		}
		s.steps, s.every, s.then = p.steps, p.every, o.then
		servers = append(servers, s)
	}
	return servers, nil
}
