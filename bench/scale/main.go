// Command scale measures one MCP server that many sessions share over HTTP. It starts the server,
// opens sessions, each with a tab of its own on a local page, and has all of them read, click and
// read again for a while.
//
//	go run ./bench/scale -sessions 1,10,50,200
//
// The server is started anew for each number of sessions. Memory is read from /proc, so the program
// measures it on Linux only. It must not know how a server works: it speaks MCP, with one adapter
// for each server that it can drive.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	sessions     []int
	duration     time.Duration
	rounds       int           // ends a session's loop earlier; 0 is without a limit
	think        time.Duration // the mean pause before a call; 0 means none
	server, peer string
	strict       bool
}

func parseFlags(args []string) (options, error) {
	var o options
	var sessions string
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.StringVar(&sessions, "sessions", "1,10,50,200", "numbers of sessions, comma-separated")
	flags.DurationVar(&o.duration, "time", 30*time.Second, "how long the sessions of one row call")
	flags.IntVar(&o.rounds, "rounds", 0, "end a session after so many rounds; 0 is without a limit")
	flags.DurationVar(&o.think, "think", 0, "mean pause of a session before each call, as agents have")
	flags.StringVar(&o.server, "server", "bin/callsheet --all-tools --http 127.0.0.1:N", "command line of the server, N for its port; \"\" measures the peer alone")
	flags.StringVar(&o.peer, "peer", "", "command line of playwright-mcp to measure too, N for its port")
	flags.BoolVar(&o.strict, "strict", false, "fail when a call fails")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for text := range strings.SplitSeq(sessions, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return o, fmt.Errorf("-sessions: %q is no number of sessions", text)
		}
		o.sessions = append(o.sessions, n)
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	o, err := parseFlags(args)
	if err != nil {
		return err
	}
	site := servePages()
	defer site.Close()
	failed := 0
	writeHeader(stdout)
	for _, l := range []workload{{o.server, callsheet(), site.URL, o}, {o.peer, playwright(), site.URL, o}} {
		if l.command == "" {
			continue
		}
		for _, n := range o.sessions {
			r, err := l.measure(ctx, n)
			if err != nil {
				return fmt.Errorf("%s with %d sessions: %w", l.adapter.name, n, err)
			}
			writeRow(stdout, r)
			failed += r.errors + r.refusals
		}
	}
	if o.strict && failed > 0 {
		return fmt.Errorf("%d calls failed", failed)
	}
	return nil
}
