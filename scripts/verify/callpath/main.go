// Command callpath calls a tool over MCP and prints which files of internal/ and tools/ ran during the call. It is built with
// coverage counters in atomic mode. It must not know what the tool does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

// calls is how often the tool is called. A file that does not run each time depends on how fast the machine is.
const calls = 5

// everyCall is the tool whose call runs what surrounds every call, and little else.
const everyCall = "tabs_context"

// timeout bounds all calls.
const timeout = 2 * time.Minute

func main() {
	check := flag.Bool("check", false, "compare with the list in architecture.md")
	var most limits
	flag.IntVar(&most.all, "most", 0, "how many files may run; 0 is any number")
	flag.IntVar(&most.own, "most-own", 0, "how many files may run that do not run in every call; 0 is any number")
	flag.Parse()
	tool, arguments := "interact", `{"ref":"REF"}`
	if flag.NArg() > 0 {
		tool = flag.Arg(0)
	}
	if flag.NArg() > 1 {
		arguments = flag.Arg(1)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	err := run(ctx, tool, arguments, *check, most)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "callpath:", err)
		os.Exit(1)
	}
}

// limits are numbers of files; 0 is none.
type limits struct{ all, own int }

func (l limits) check(all, own int) (err error) {
	if l.all > 0 && all > l.all {
		err = fmt.Errorf("%d files ran, at most %d may", all, l.all)
	}
	if l.own > 0 && own > l.own {
		err = errors.Join(err, fmt.Errorf("%d files ran that do not run in every call, at most %d may", own, l.own))
	}
	return err
}

func run(ctx context.Context, tool, arguments string, check bool, most limits) error {
	c, err := connect(ctx)
	if err != nil {
		return err
	}
	ran, _, err := c.measure(ctx, tool, arguments)
	var always map[string]bool
	if err == nil {
		_, always, err = c.measure(ctx, everyCall, "{}")
	}
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	files := inOrder(ran)
	var own []string
	for _, file := range files {
		mark := ""
		if always[file] {
			mark = "  as in every call"
		} else {
			own = append(own, file)
		}
		fmt.Printf("%4d  %s%s\n", ran[file], file, mark)
	}
	fmt.Printf("%d files ran during %s, %d of them during %s too; each line begins with the number of blocks that ran\n", len(files), tool, len(files)-len(own), everyCall)
	err = most.check(len(files), len(own))
	if check {
		err = errors.Join(err, compare(tool, own))
	}
	return err
}

// measure makes several calls. It returns the files that run during each of them and do not run without one, with the number
// of blocks, and those that run during any: what is written behind an answer may run after a short call has ended.
func (c *client) measure(ctx context.Context, tool, arguments string) (each map[string]int, some map[string]bool, err error) {
	some = map[string]bool{}
	for range calls {
		args, err := c.prepare(ctx, arguments)
		if err != nil {
			return nil, nil, err
		}
		began := time.Now()
		during, err := blocksOf(ctx, func() error { return c.call(ctx, tool, args) })
		if err != nil {
			return nil, nil, err
		}
		took := time.Since(began)
		idle, err := blocksOf(ctx, func() error { time.Sleep(took); return nil })
		if err != nil {
			return nil, nil, err
		}
		ran := map[string]int{}
		for block, n := range during {
			file, _, _ := strings.Cut(block, ":")
			some[file] = some[file] || n > 0
			if n > idle[block] && (each == nil || each[file] > 0) {
				ran[file]++
			}
		}
		each = ran
	}
	return each, some, nil
}

// within cuts what stands between two marks out of a text.
func within(text, from, to string) (string, bool) {
	_, rest, found := strings.Cut(text, from)
	inner, _, ended := strings.Cut(rest, to)
	return inner, found && ended
}
