package questions

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The flags, after -args.
var (
	callsheetFlag = flag.String("callsheet", "", "command line of Callsheet; without it the test is skipped")
	devtoolsFlag  = flag.String("devtools", "", "command line of chrome-devtools-mcp; empty: it is not asked")
	onlyFlag      = flag.String("only", "", "ask only questions that contain this")
	thenFlag      = flag.String("then", "", "the reading that navigate has; empty: its default")
	roundsFlag    = flag.Int("rounds", 3, "how often each question is asked, from 1; times are medians")
	showFlag      = flag.Bool("show", false, "print the answers")
)

// callsheet is the name of the server that must have every fact.
const callsheet = "callsheet"

// TestQuestions asks every question of every server, and prints the table of docs/internals/measurements.md.
func TestQuestions(t *testing.T) {
	if *callsheetFlag == "" {
		t.Skip("make questions runs this")
	}
	site, end, err := serve("../../tools/styles/testdata")
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	servers, err := startAll(t.Context())
	defer func() {
		for _, s := range servers {
			s.Close()
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	all, err := questions()
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, q := range all {
		if strings.Contains(q.Name, *onlyFlag) {
			rows = append(rows, askAll(t, servers, q, site))
		}
	}
	writeTable(os.Stdout, servers, rows)
	fmt.Printf("\nnavigate of %s answered %d bytes in all\n", servers[0].name, servers[0].opened)
}

// askAll asks one question of every server.
func askAll(t *testing.T, servers []*server, q question, site string) row {
	r := row{question: q}
	for _, s := range servers {
		a, err := s.ask(t.Context(), q, site, *roundsFlag)
		if err != nil {
			t.Fatalf("%s: %s: %v", s.name, q.Name, err)
		}
		if *showFlag {
			fmt.Printf("### %s: %s\n\n```\n%s\n```\n\n", s.name, q.Name, a.text)
		}
		if s.name == callsheet && len(a.missed) > 0 {
			t.Errorf("%s: the answer lacks %s", q.Name, strings.Join(a.missed, ", "))
		}
		r.answers = append(r.answers, a)
	}
	return r
}

// startAll starts the servers that the flags name. Those that were started are returned with an error too.
func startAll(ctx context.Context) (servers []*server, err error) {
	for _, p := range []struct {
		name, command, version string
		steps                  func(question) []step
		every                  map[string]any
	}{
		{callsheet, *callsheetFlag, "2025-11-25", func(q question) []step { return q.Callsheet }, nil},
		{"chrome-devtools-mcp", *devtoolsFlag, "2025-06-18", func(q question) []step { return q.DevTools }, map[string]any{"pageId": 1}},
	} {
		if p.command == "" {
			continue
		}
		s, err := start(ctx, p.name, p.command, p.version)
		if err != nil {
			return servers, err
		}
		s.steps, s.every, s.then = p.steps, p.every, *thenFlag
		servers = append(servers, s)
	}
	return servers, nil
}
