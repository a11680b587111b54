package widgets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/callsheet/callsheet/bench/stdio"
)

// stateTime is the time for which a page may take to load, and stateEvery how often its state is asked for.
const (
	loadTime   = 20 * time.Second
	settleTime = 1500 * time.Millisecond
	stateEvery = 100 * time.Millisecond
)

// The openings that count: with a reading of its own, or with the one in the answer of the navigation.
const (
	openingNone = "none"
	openingRead = "read"
)

// adapter translates steps into calls of one server's tools.
type adapter interface {
	navigate(url string) (tool string, args map[string]any)
	read() (tool string, args map[string]any)
	evaluate(expression string) (tool string, args map[string]any)
	// isTrue reports whether the answer to evaluate says true.
	isTrue(answer string) bool
	// perform makes the calls of a step.
	perform(ctx context.Context, d *driver, s step) error
}

// driver is a client of one server, and the count of what a task cost.
type driver struct {
	*stdio.Server

	adapter adapter
	files   string // directory of files to upload
	opening string // how pages are opened: "" (not counted), openingNone or openingRead
	reading string // the latest reading of the page

	calls, bytes int
	log          []string
}

func startDriver(ctx context.Context, files string) (*driver, error) {
	if err := os.WriteFile(filepath.Join(files, "note.txt"), []byte("a note\n"), 0o600); err != nil {
		return nil, err
	}
	how := stdio.Options{Dir: files}
	var chosen adapter = callsheet{}
	if *adapterFlag == callsheetAdapter {
		how.Args = []string{"--file-root", files, "--state-dir", filepath.Join(files, "state")}
	} else {
		chosen = playwright{}
	}
	server, err := stdio.Start(ctx, *serverFlag, how)
	if err != nil {
		return nil, err
	}
	return &driver{Server: server, adapter: chosen, files: files, opening: *openingFlag}, nil
}

// begin forgets what the task before cost.
func (d *driver) begin() { d.calls, d.bytes, d.log, d.reading = 0, 0, nil, "" }

func (d *driver) transcript() string { return strings.Join(d.log, "\n") }

// call calls a tool and returns its text. A refusal is an error.
func (d *driver) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	text, refused, err := d.Call(ctx, tool, args)
	if err != nil {
		return "", err
	}
	d.calls++
	d.bytes += len(text)
	encoded, _ := json.Marshal(args) // a map of plain values
	d.log = append(d.log, "  > "+tool+" "+string(encoded)+"\n"+indent(text))
	if refused {
		return text, errors.New(tool + ": " + firstLine(text))
	}
	return text, nil
}

// solve does a task on a fresh page. Calls before the first step are counted only with an opening.
func (d *driver) solve(ctx context.Context, url string, t task) error {
	tool, args := d.adapter.navigate(url)
	if d.opening == openingNone {
		args["then"] = "none"
	}
	said, err := d.call(ctx, tool, args)
	if err != nil {
		return err
	}
	calls, bytes := d.calls, d.bytes
	if err := d.wait(ctx, "typeof state === 'function'", loadTime); err != nil {
		return fmt.Errorf("the page does not load: %w", err)
	}
	d.calls, d.bytes = calls, bytes
	if err := d.readOpened(ctx, said); err != nil {
		return err
	}
	if d.opening == "" {
		d.calls, d.bytes = 0, 0
	}
	for _, s := range t.steps {
		if err := d.adapter.perform(ctx, d, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	calls, bytes = d.calls, d.bytes
	err = d.wait(ctx, "(()=>{with(state()){return !!("+t.want+")}})()", settleTime)
	d.calls, d.bytes = calls, bytes
	if err != nil {
		tool, args = d.adapter.evaluate("JSON.stringify(state())")
		state, _ := d.call(ctx, tool, args) // only tells more about the failure
		d.calls, d.bytes = calls, bytes
		return fmt.Errorf("not as wanted: %s", firstLine(state))
	}
	return nil
}

// readOpened reads a page that was opened. With the answer that opened it, it reads only what that has not.
func (d *driver) readOpened(ctx context.Context, said string) (err error) {
	if d.opening == openingRead && strings.Contains(said, "<page") {
		_, cut, isCut := strings.Cut(said, "\n[cut, ")
		if d.reading = said; !isCut {
			return nil
		}
		_, cursor, _ := strings.Cut(cut, `cursor "`)
		cursor, _, _ = strings.Cut(cursor, `"`)
		rest, err := d.call(ctx, "read_page", map[string]any{"cursor": cursor})
		d.reading += rest
		return err
	}
	return d.read(ctx)
}

func (d *driver) read(ctx context.Context) (err error) {
	tool, args := d.adapter.read()
	d.reading, err = d.call(ctx, tool, args)
	return err
}

// wait evaluates an expression in the page until it is true or the time is over.
func (d *driver) wait(ctx context.Context, expression string, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	tool, args := d.adapter.evaluate(expression)
	for {
		answer, err := d.call(ctx, tool, args)
		d.log = d.log[:len(d.log)-1]
		if err == nil && d.adapter.isTrue(answer) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s is not true after %v", expression, limit)
		}
		select {
		case <-time.After(stateEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func indent(text string) string {
	if len(text) > 1500 {
		text = text[:1500] + "…"
	}
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return line
}
