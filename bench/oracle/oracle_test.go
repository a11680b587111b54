package oracle

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/bench/stdio"
)

// The flags, after -args. Paths are absolute, or relative to this directory.
var (
	serverFlag   = flag.String("server", "", "command line of the server; without it the test is skipped")
	chromiumFlag = flag.String("chromium", "chromium", "the browser's program")
	widgetsFlag  = flag.String("widgets", "", "directory of the widget suite with its libraries; \"\" leaves its pages out")
	onlyFlag     = flag.String("only", "", "only pages whose name contains this")
	partFlag     = flag.Int("part", 1, "only each n-th page")
	mostFlag     = flag.Float64("most", 0.2, "percent of controls that may differ without a reason")
	allFlag      = flag.Bool("deliberate", false, "list deliberate differences too")
)

// TestOracle compares the pages, and prints a line for each difference without a reason.
func TestOracle(t *testing.T) {
	if *serverFlag == "" {
		t.Skip("make oracle runs this")
	}
	if err := run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func run(ctx context.Context) error {
	pages, err := newSite(*widgetsFlag, "testdata/node_modules")
	if err != nil {
		return err
	}
	server := pages.serve()
	defer server.Close()
	endpoint, end, err := startChromium(ctx, *chromiumFlag)
	if err != nil {
		return err
	}
	defer end()
	state, err := os.MkdirTemp("", "oracle-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(state) }()
	mcp, err := stdio.Start(ctx, *serverFlag, stdio.Options{Args: []string{"--cdp-endpoint", endpoint, "--state-dir", state}})
	if err != nil {
		return err
	}
	defer mcp.Close()
	b := connect(ctx, endpoint)
	defer func() {
		for _, end := range b.close {
			end()
		}
	}()
	var t table
	for i, s := range pages.samples {
		if i%*partFlag != 0 || !strings.Contains(s.name, *onlyFlag) {
			continue
		}
		address := server.URL + s.path
		tree, reading, err := look(ctx, mcp, b, address)
		if err != nil {
			return fmt.Errorf("%s (%s): %w", s.name, address, err)
		}
		t.add(s.name, tree, reading)
	}
	t.print(os.Stdout, *allFlag)
	if share := t.unexplained(); share > *mostFlag {
		return fmt.Errorf("%.2f %% of the controls differ without a reason, more than %.2f %%", share, *mostFlag)
	}
	return nil
}

// look opens a page in the server's tab and returns its controls of both sides. Pages that are still changing are
// looked at again: both sides must see the same page.
func look(ctx context.Context, server *stdio.Server, b *browser, address string) (tree, reading []control, err error) {
	if _, err := call(ctx, server, "navigate", map[string]any{"url": address}); err != nil {
		return nil, nil, err
	}
	if err := b.attach(address); err != nil {
		return nil, nil, err
	}
	for attempt := 1; ; attempt++ {
		text, err := readAll(ctx, server)
		if err != nil {
			return nil, nil, err
		}
		if tree, err = b.controls(); err != nil {
			return nil, nil, err
		}
		again, err := readAll(ctx, server)
		if err != nil {
			return nil, nil, err
		}
		reading = readControls(again)
		hidden, err := b.hiddenNames()
		if err != nil {
			return nil, nil, err
		}
		for i, c := range reading {
			reading[i].AriaHidden = hidden[c.Name] || c.Name == "" && hidden[c.Hint]
		}
		if body(text) == body(again) || attempt == 3 {
			return tree, reading, nil
		}
	}
}

// body returns a reading without the nonce of its fence.
func body(reading string) string {
	var lines []string
	for line := range strings.Lines(reading) {
		if !strings.HasPrefix(line, "<") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// cursor matches the end of a reading that goes on.
var cursor = regexp.MustCompile(`\n\[cut, .* left; cursor "([^"]+)" continues\]`)

// readAll reads the whole page, and continues as often as the reading is cut.
func readAll(ctx context.Context, server *stdio.Server) (string, error) {
	var all strings.Builder
	for args := (map[string]any{"max_bytes": 100000}); ; {
		text, err := call(ctx, server, "read_page", args)
		if err != nil {
			return "", err
		}
		next := cursor.FindStringSubmatchIndex(text)
		if next == nil {
			all.WriteString(text)
			return all.String(), nil
		}
		all.WriteString(text[:next[0]] + "\n")
		args = map[string]any{"max_bytes": 100000, "cursor": text[next[2]:next[3]]}
	}
}

func call(ctx context.Context, server *stdio.Server, tool string, args map[string]any) (string, error) {
	text, refused, err := server.Call(ctx, tool, args)
	if err == nil && refused {
		err = errors.New(text)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool, err)
	}
	return text, nil
}

// startChromium starts a browser with a DevTools port and returns the port's address.
func startChromium(ctx context.Context, program string) (endpoint string, end func(), err error) {
	profile, err := os.MkdirTemp("", "oracle-profile-")
	if err != nil {
		return "", nil, err
	}
	process := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
		"--remote-debugging-port=0", "--window-size=1280,720", "--user-data-dir="+profile, "about:blank")
	if err := process.Start(); err != nil {
		return "", nil, fmt.Errorf("start the browser: %w", err)
	}
	end = func() {
		_ = process.Process.Kill()
		_ = process.Wait() // it was killed
		_ = os.RemoveAll(profile)
	}
	for range 100 {
		text, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if port, _, ok := strings.Cut(string(text), "\n"); err == nil && ok {
			return "http://127.0.0.1:" + port, end, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			end()
			return "", nil, ctx.Err()
		}
	}
	end()
	return "", nil, errors.New("the browser opened no DevTools port within 10 s")
}
