// Command heap searches planted leaks through the tools of MCP servers, and writes a table of the
// calls, bytes and time that each took and what its answers name.
//
// It serves the pages, and drives a server over stdio with one list of calls for each: those of an
// agent that knows the tools and makes no call in vain. With -large it also measures the memory of
// callsheet while it compares two snapshots of a large heap. The command must not know how a server
// works.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"text/tabwriter"
)

//go:embed testdata/leaks.js
var script string

// options are the flags.
type options struct {
	server, peer string
	large        int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "heap:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var o options
	flags := flag.NewFlagSet("heap", flag.ContinueOnError)
	flags.StringVar(&o.server, "server", "bin/callsheet --all-tools --headless", "command line of callsheet")
	flags.StringVar(&o.peer, "peer", "", "command line of chrome-devtools-mcp with --memoryDebugging --no-page-id-routing; none is measured if empty")
	flags.IntVar(&o.large, "large", 0, "rows of a large page whose snapshots are compared; 0 measures none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pages := httptest.NewServer(http.HandlerFunc(serve))
	defer pages.Close()
	if o.large > 0 {
		return measureLarge(ctx, o, pages.URL, stdout)
	}
	dir, err := os.MkdirTemp("", "heap-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	place := site{url: pages.URL, dir: dir}
	table := tabwriter.NewWriter(stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| page\t| server\t| calls\t| bytes\t| time\t| what the answers name\t|")
	fmt.Fprintln(table, "|---\t|---\t|---\t|---\t|---\t|---\t|")
	if err := place.measure(ctx, table, o.server, callsheetLeaks{}, callsheetCompare{}); err != nil {
		return err
	}
	if o.peer != "" {
		if err := place.measure(ctx, table, o.peer, devtools{}); err != nil {
			return err
		}
	}
	return table.Flush()
}

func serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/app.js" {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, script)
		return
	}
	_, _ = io.WriteString(w, `<!doctype html><title>Leaks</title><link rel=icon href=data:,><div id=root></div><script src=/app.js></script>`)
}

// subject is a page with one leak, or none.
type subject struct {
	name, action   string
	classes, names []string // of which the answers must name one each, with the rest of the leak
}

func subjects() []subject {
	return []subject{
		{"growing map", "growMap()", []string{"Entry"}, []string{"cache"}},
		{"detached nodes", "detach()", []string{"Detached <div>"}, []string{"removed"}},
		{"closures of listeners", "listen()", []string{"V8EventListener"}, []string{"Window"}},
		{"no leak", "churn()", nil, nil},
		{"busy function", "busy(300)", nil, []string{"busy"}},
	}
}

// site is where the pages are served, and where snapshots are kept.
type site struct{ url, dir string }

// measure runs all ways of one server on all pages.
func (p site) measure(ctx context.Context, table io.Writer, command string, ways ...way) error {
	c, err := start(ctx, command)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, w := range ways {
		for _, s := range subjects() {
			if err := w.open(ctx, c, p.url); err != nil {
				return err
			}
			c.reset()
			said, err := w.search(ctx, c, s, p.dir)
			if err != nil {
				said = "failed: " + err.Error()
			}
			if said != "" {
				fmt.Fprintf(table, "| %s\t| %s\t| %d\t| %d\t| %.1f s\t| %s\t|\n", s.name, w.name(), c.calls, c.bytes, c.time.Seconds(), said)
			}
		}
	}
	return nil
}
