package tasks

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/bench/stdio"
)

// The command lines of the other servers that TestWholeReadings reads with.
var (
	playwrightFlag = flag.String("playwright", "", "command line of @playwright/mcp")
	devtoolsFlag   = flag.String("devtools", "", "command line of chrome-devtools-mcp")
)

// cursor matches the end of a reading that goes on.
var cursor = regexp.MustCompile(`\n\[cut, .* left; cursor "([^"]+)" continues\]`)

// TestWholeReadings reads a page of 20,000 elements to its end, by cursors where a reading is bounded, and prints calls,
// bytes of text and the median time of three readings.
func TestWholeReadings(t *testing.T) {
	if *serverFlag == "" {
		t.Skip("make tasks runs this")
	}
	var page strings.Builder
	page.WriteString("<!doctype html><title>Entries</title><main>")
	for i := range 999 {
		fmt.Fprintf(&page, "<article><header><h2>Entry %[1]d</h2><span>by <b>Author %[1]d</b></span></header><div><p>Text <em>one</em> of entry %[1]d</p>"+
			"<p>Text <em>two</em> of entry %[1]d</p></div><ul><li><span>alpha %[1]d</span></li><li><span>beta %[1]d</span></li><li><span>gamma %[1]d</span></li></ul>"+
			"<footer><a href='#e%[1]d'>Open entry %[1]d</a><small>done</small></footer></article>", i)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(page.String())) }))
	defer site.Close()
	for _, s := range []struct {
		name, line, open, read string
		with                   map[string]any
	}{
		{"callsheet", *serverFlag, "navigate", "read_page", map[string]any{}},
		{"@playwright/mcp", *playwrightFlag, "browser_navigate", "browser_snapshot", map[string]any{}},
		{"chrome-devtools-mcp", *devtoolsFlag, "navigate_page", "take_snapshot", map[string]any{"pageId": 1}},
	} {
		if s.line == "" {
			continue
		}
		server, err := stdio.Start(t.Context(), s.line, stdio.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		open := maps.Clone(s.with)
		open["url"] = site.URL
		if text, _, refused := call(t, server, s.open, open); refused {
			t.Fatalf("%s: %s", s.name, text)
		}
		var took []time.Duration
		calls, size, first := 0, 0, 0
		for range 3 {
			began := time.Now()
			calls, size, first = readAll(t, server, s.read, s.with)
			took = append(took, time.Since(began))
		}
		fmt.Printf("%s: the first call has %d bytes; the whole takes %d calls, %d bytes, %d ms\n", s.name, first, calls, size, median(took).Milliseconds())
	}
}

// readAll reads a page to its end, which it must hold, and returns the calls, the bytes and those of the first call.
func readAll(t *testing.T, server *stdio.Server, tool string, args map[string]any) (calls, size, first int) {
	t.Helper()
	for {
		text, _, refused := call(t, server, tool, args)
		if refused {
			t.Fatalf("%s %v: %s", tool, args, text)
		}
		calls, size = calls+1, size+len(text)
		if calls == 1 {
			first = size
		}
		next := cursor.FindStringSubmatch(text)
		if next == nil {
			if !strings.Contains(text, "gamma 998") {
				t.Fatalf("the reading lacks its end: %.200s", text)
			}
			return calls, size, first
		}
		args = map[string]any{"cursor": next[1]}
	}
}

func median(d []time.Duration) time.Duration {
	return max(min(d[0], d[1]), min(max(d[0], d[1]), d[2]))
}
