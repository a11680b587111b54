// Command video measures what a recording costs the page that is recorded: the frames per second of
// requestAnimationFrame in alternating windows with and without one, in one run of a server.
//
// It serves animated pages and drives callsheet over stdio. The command must not know how a video is made.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/callsheet/callsheet/bench/stdio"
)

// options are the flags.
type options struct {
	server  string
	windows int
	ms      int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "video:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var o options
	flags := flag.NewFlagSet("video", flag.ContinueOnError)
	flags.StringVar(&o.server, "server", "bin/callsheet --all-tools --headless", "command line of callsheet")
	flags.IntVar(&o.windows, "windows", 7, "windows with a recording, and as many without")
	flags.IntVar(&o.ms, "ms", 3000, "length of a window")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.windows < 1 || o.ms < 100 {
		return errors.New("-windows is at least 1 and -ms at least 100")
	}
	site := httptest.NewServer(http.HandlerFunc(serve))
	defer site.Close()
	server, err := stdio.Start(ctx, o.server, stdio.Options{})
	if err != nil {
		return err
	}
	defer server.Close()
	table := tabwriter.NewWriter(stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| page\t| frames/s without\t| with\t| cost\t| pictures/s\t| bytes/s of video\t|")
	fmt.Fprintln(table, "|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, p := range pages() {
		row, err := o.measure(ctx, server, site.URL, p)
		if err != nil {
			return err
		}
		fmt.Fprintln(table, row)
	}
	return table.Flush()
}

// page is an animated page.
type page struct{ name, path, html string }

func pages() []page {
	return []page{
		{"a square that turns", "/square", `<style>b { position: fixed; left: 200px; top: 200px; width: 80px; height: 80px; background: gray; animation: turn 1s linear infinite }
@keyframes turn { to { transform: rotate(360deg) } }</style><b></b>`},
		{"a canvas of 1280×720 that is drawn anew", "/canvas", `<style>body { margin: 0 }</style><canvas id=c width=1280 height=720></canvas><script>
const on = c.getContext('2d');
(function draw(t = 0) {
  on.fillStyle = 'white'; on.fillRect(0, 0, 1280, 720);
  for (let i = 0; i < 200; i++) { on.fillStyle = 'hsl(' + (i * 7 + t / 20) + ' 80% 50%)'; on.fillRect((i * 97 + t / 5) % 1280, (i * 53) % 720, 40, 24); }
  requestAnimationFrame(draw);
})();
</script>`},
		{"text that scrolls", "/text", `<style>p { font: 14px sans-serif; margin: 4px }</style><script>
for (let i = 0; i < 400; i++) document.write('<p>' + i + ' The quick brown fox jumps over the lazy dog. '.repeat(4));
(function scroll(t = 0) { scrollTo(0, (t / 4) % 4000); requestAnimationFrame(scroll); })();
</script>`},
	}
}

func serve(w http.ResponseWriter, r *http.Request) {
	for _, p := range pages() {
		if p.path == r.URL.Path {
			_, _ = io.WriteString(w, "<!doctype html><title>"+p.name+"</title><link rel=icon href=data:,>"+p.html)
			return
		}
	}
	http.NotFound(w, r)
}

// count is a script that returns the frames per second of a window.
const count = `await new Promise((done) => {
  let frames = 0; const begun = performance.now();
  requestAnimationFrame(function next() {
    const took = performance.now() - begun; frames++;
    if (took < %d) requestAnimationFrame(next); else done(frames * 1000 / took);
  });
})`

var figures = regexp.MustCompile(`: ([0-9.]+) s, (\d+) frames, \d+x\d+, (\d+) bytes`)

// measure alternates windows on one page and returns a row of the table.
func (o options) measure(ctx context.Context, server *stdio.Server, home string, p page) (string, error) {
	if _, err := call(ctx, server, "navigate", map[string]any{"url": home + p.path}); err != nil {
		return "", err
	}
	var without, with, pictures, bytes []float64
	for range o.windows {
		rate, err := o.frameRate(ctx, server)
		if err != nil {
			return "", err
		}
		without = append(without, rate)
		if _, err := call(ctx, server, "page_video", map[string]any{"action": "start"}); err != nil {
			return "", err
		}
		if rate, err = o.frameRate(ctx, server); err != nil {
			return "", err
		}
		with = append(with, rate)
		said, err := call(ctx, server, "page_video", map[string]any{"action": "stop"})
		if err != nil {
			return "", err
		}
		m := figures.FindStringSubmatch(said)
		if m == nil {
			return "", fmt.Errorf("page_video says %q", said)
		}
		seconds, frames, size := number(m[1]), number(m[2]), number(m[3])
		pictures, bytes = append(pictures, frames/seconds), append(bytes, size/seconds)
	}
	off, on := median(without), median(with)
	return fmt.Sprintf("| %s\t| %.1f\t| %.1f\t| %.1f %%\t| %.1f\t| %.0f\t|", p.name, off, on, 100*(1-on/off), median(pictures), median(bytes)), nil
}

func (o options) frameRate(ctx context.Context, server *stdio.Server) (float64, error) {
	said, err := call(ctx, server, "javascript_tool", map[string]any{"code": fmt.Sprintf(count, o.ms)})
	if err != nil {
		return 0, err
	}
	rate, err := strconv.ParseFloat(said, 64)
	if err != nil {
		return 0, fmt.Errorf("the page says %q", said)
	}
	return rate, nil
}

func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64) // it matches an expression of numbers
	return n
}

func median(of []float64) float64 {
	of = slices.Sorted(slices.Values(of))
	return (of[len(of)/2] + of[(len(of)-1)/2]) / 2
}

// call calls a tool and returns its text. A refusal is an error.
func call(ctx context.Context, server *stdio.Server, tool string, args map[string]any) (string, error) {
	text, refused, err := server.Call(ctx, tool, args)
	if refused {
		err = errors.New(tool + ": " + text)
	}
	return text, err
}
