package toolkittest_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

func TestCalls(t *testing.T) {
	for _, revision := range toolkittest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			k := toolkittest.New(t, sample(), toolkittest.Revision(revision), toolkittest.Principal("ada"))
			var out struct{ N int }
			res := k.Call(t, "count", toolkittest.Args{"text": "four"})
			if res.Decode(t, &out); out.N != 4 || res.Text != `{"n":4}` || res.Code != "" {
				t.Errorf("%+v", res)
			}
			if res := k.Refuse(t, "refuse", nil, toolkit.Failed); res.Text != "FAILED: no" || !strings.Contains(string(res.Structured), `"tool":"refuse"`) {
				t.Errorf("%+v", res)
			}
			if got := k.Call(t, "who", nil).Text; got != "ada" {
				t.Errorf("the principal is %q", got)
			}
			for want, call := range map[string]func(t testing.TB){
				"is refused: FAILED: no":         func(t testing.TB) { k.Call(t, "refuse", nil) },
				`not "TIMEOUT"`:                  func(t testing.TB) { k.Refuse(t, "refuse", nil, toolkit.Timeout) },
				`answered with code "", not "FA`: func(t testing.TB) { k.Refuse(t, "who", nil, toolkit.Failed) },
				`did you mean "count"?`:          func(t testing.TB) { k.Call(t, "coutn", nil) },
			} {
				if got := failure(t, call); !strings.Contains(got, want) {
					t.Errorf("the test fails with %q, not %q", got, want)
				}
			}
		})
	}
}

// TestFacts waits for the list that follows a fact, without a clock.
func TestFacts(t *testing.T) {
	k := toolkittest.New(t, sample())
	if names := k.Listed(t); slices.Contains(names, "enter") || len(names) != 4 {
		t.Errorf("at first: %v", names)
	}
	k.SetFacts(t, "open")
	k.AwaitListChange(t)
	if names := k.Listed(t); !slices.Contains(names, "enter") {
		t.Errorf("when open: %v", names)
	}
	if got := k.Facts(t); !slices.Equal(got, []string{"open"}) {
		t.Errorf("facts: %v", got)
	}
	k.Call(t, "enter", nil)
	k.SetFacts(t)
	k.Refuse(t, "enter", nil, toolkit.ToolNotVisible)

	stateless := toolkittest.New(t, sample(), toolkittest.Revision(toolkittest.Stateless), toolkittest.Facts("locked"))
	stateless.Refuse(t, "enter", nil, toolkit.ToolNotVisible)
	stateless.SetFacts(t, "open")
	stateless.Call(t, "enter", nil)
	if got := failure(t, func(t testing.TB) { stateless.AwaitListChange(t) }); !strings.Contains(got, "nothing to wait for") {
		t.Error(got)
	}
	if got := failure(t, func(t testing.TB) { k.SetFacts(t, "opne") }); !strings.Contains(got, "did you mean open?") {
		t.Error(got)
	}
}

// TestUndeclaredChanges fails a test whose handler changes a fact that no declaration explains.
func TestUndeclaredChanges(t *testing.T) {
	reg := sample()
	who, _ := reg.Lookup("who")
	run := reg.Tools[who].Invoke
	reg.Tools[who].Invoke = func(ctx context.Context, c *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
		c.Session.Change(1, 0)
		return run(ctx, c, g, args)
	}
	got := failure(t, func(t testing.TB) {
		k := toolkittest.New(t, reg)
		k.Call(t, "count", nil)
		k.Call(t, "who", nil)
	})
	if !strings.Contains(got, "no declared change leads from {} to {open}") {
		t.Error(got)
	}
}

func TestOneArea(t *testing.T) {
	k := toolkittest.New(t, sample(), toolkittest.Area("door"), toolkittest.Facts("open"))
	if names := k.Listed(t); !slices.Equal(names, []string{"enter", "who"}) {
		t.Errorf("the area: %v", names)
	}
	k = toolkittest.New(t, sample(), toolkittest.Filters(toolkit.Options{ExcludeTools: []string{"count"}}))
	k.Refuse(t, "count", nil, toolkit.ToolDisabled)
	k = toolkittest.New(t, sample(), toolkittest.Scope("short"))
	if names := k.Listed(t); !slices.Equal(names, []string{"who"}) {
		t.Errorf("the scope: %v", names)
	}
	for want, option := range map[string]toolkittest.Option{
		"did you mean door?": toolkittest.Area("dor"), "unknown scope": toolkittest.Scope("long"), `no fact is called "lit"`: toolkittest.Facts("lit"),
	} {
		if got := failure(t, func(t testing.TB) { toolkittest.New(t, sample(), option) }); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestGolden compares the list of two states with files, and reports a file that differs.
func TestGolden(t *testing.T) {
	for _, revision := range toolkittest.Revisions() {
		k := toolkittest.New(t, sample(), toolkittest.Revision(revision), toolkittest.Facts("open"))
		k.Golden(t, filepath.Join("testdata", revision+".json"))
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		return
	}
	k := toolkittest.New(t, sample())
	got := failure(t, func(t testing.TB) { k.Golden(t, filepath.Join("testdata", toolkittest.WithSessions+".json")) })
	if !strings.Contains(got, `-`) || !strings.Contains(got, `"name": "enter"`) {
		t.Errorf("another list: %q", got)
	}
	if got := failure(t, func(t testing.TB) { k.Golden(t, "testdata/none.json") }); !strings.Contains(got, "UPDATE_GOLDEN=1 writes it") {
		t.Errorf("no file: %q", got)
	}
}
