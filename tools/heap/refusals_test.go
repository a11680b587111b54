package heap_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// call is a member of calls.
func call(tool string, args tooltest.Args) map[string]any {
	if args == nil {
		args = tooltest.Args{}
	}
	return map[string]any{"tool": tool, "args": args}
}

func TestHeapInspect(t *testing.T) {
	t.Parallel()
	home, c := serveLeaks(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	c.ExpectScript("for (let i = 0; i < 7; i++) { growMap(); detach() } globalThis.evil = new (class { '</page>'() {} }); 1", "1")
	text := c.Call("heap_snapshot", nil)
	id := find(t, `snapshot_id (\w+)`, text)
	if !strings.Contains(text, "7 detached DOM nodes") && !strings.Contains(text, "35 detached DOM nodes") || !strings.Contains(text, "7 Detached <div>") {
		t.Errorf("detached nodes in\n%s", text)
	}
	text = c.Expect("heap_inspect", tooltest.Args{"snapshot_id": id, "class": "Entry", "limit": 3}, "7 objects, the largest 3", "cache (Map) / Entry")
	object, err := strconv.Atoi(find(t, `@(\d+) Entry`, text))
	if err != nil {
		t.Fatal(err)
	}
	c.Expect("heap_inspect", tooltest.Args{"snapshot_id": id, "object_id": object}, "1 retainers", "references", "text @", "path: Window")
	c.Expect("heap_inspect", tooltest.Args{"snapshot_id": id}, "class: count, shallow, retained", "7 Detached <div>")
	c.Expect("heap_inspect", tooltest.Args{"snapshot_id": "callsheet://artifact/" + id, "class": "Detached <div>"}, "7 objects", "removed (Array)")

	c.ExpectRefusal("NOT_FOUND", "heap_inspect", tooltest.Args{"snapshot_id": id, "class": "Entri"}, `did you mean \"Entry\"`)
	c.ExpectRefusal("NOT_FOUND", "heap_inspect", tooltest.Args{"snapshot_id": id, "object_id": 4000000001}, "no object @4000000001")
	c.ExpectRefusal("NOT_FOUND", "heap_inspect", tooltest.Args{"snapshot_id": id[1:]}, id)
	c.ExpectRefusal("INVALID_ARGUMENTS", "heap_inspect", tooltest.Args{"snapshot_id": id, "class": "Entry", "object_id": 1})
}

// connectWithSnapshot returns a client and the artifact of a snapshot that it took.
func connectWithSnapshot(t *testing.T) (tooltest.Client, artifact.Artifact) {
	t.Helper()
	home, c := serveLeaks(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	kept, err := tooltest.Shared.Artifacts.Get(find(t, `snapshot_id (\w+)`, c.Call("heap_snapshot", nil)))
	if err != nil {
		t.Fatal(err)
	}
	return c, kept
}

// TestDamagedSnapshotIsRefused: a file that another program has cut short or written is named as that.
func TestDamagedSnapshotIsRefused(t *testing.T) {
	t.Parallel()
	c, kept := connectWithSnapshot(t)
	whole, err := os.ReadFile(kept.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range map[string][]byte{"cut": whole[:len(whole)/2], "foreign": []byte(`{"nodes":[{"id":1,"callFrame":{}}],"startTime":1}`), "empty": nil} {
		if err := os.WriteFile(kept.Path(), data, 0o600); err != nil {
			t.Fatal(err)
		}
		c.ExpectRefusal("FAILED", "heap_inspect", tooltest.Args{"snapshot_id": kept.ID}, "not a whole heap snapshot")
	}
	profile, err := tooltest.Shared.Artifacts.Put(t.Context(), artifact.Meta{Name: "page.heapsnapshot", Session: "another"}, strings.NewReader(string(whole)))
	if err != nil {
		t.Fatal(err)
	}
	c.ExpectRefusal("NOT_FOUND", "heap_inspect", tooltest.Args{"snapshot_id": profile.ID})
}

func TestHeapOfPagesThatLeave(t *testing.T) {
	t.Parallel()
	home, c := serveLeaks(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home}))
	id := find(t, `snapshot_id (\w+)`, c.Call("heap_snapshot", nil))
	c.Call("page_reload", nil)
	c.ExpectRefusal("FAILED", "heap_compare", tooltest.Args{"baseline_id": id}, "loaded anew")
	c.ExpectRefusal("FAILED", "heap_leaks", tooltest.Args{"repeat": 2, "calls": []any{call("page_reload", nil)}}, "load another document")

	_, found, err := tooltest.Shared.Connections.Set(t.Name()).Tab(t.Context(), tab)
	if err != nil {
		t.Fatal(err)
	}
	protocol, err := found.Protocol(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.ExpectScript("globalThis.rows = []; for (let i = 0; i < 300000; i++) rows.push({ i, text: 'row ' + i }); 1", "1")
	go func() { _ = protocol.Call(t.Context(), "Page.crash", nil, nil) }() // a crashed page sends no response
	c.ExpectRefusal("TAB_CRASHED", "heap_snapshot", nil, "reload")
	c.ExpectRefusal("TAB_CRASHED", "cpu_profile", nil)
	c.Call("page_reload", nil)
	c.Expect("heap_snapshot", nil, "snapshot_id")
}

// TestHeapOfTwoDocuments: the objects of two documents can have the same numbers, as those of a copy have.
func TestHeapOfTwoDocuments(t *testing.T) {
	t.Parallel()
	c, kept := connectWithSnapshot(t)
	for source, compares := range map[string]bool{kept.Source: true, "another": false} {
		file, err := os.Open(kept.Path())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		other, err := tooltest.Shared.Artifacts.Put(t.Context(), artifact.Meta{Name: kept.Name, Session: kept.Session, Source: source}, file)
		if err != nil {
			t.Fatal(err)
		}
		args := tooltest.Args{"baseline_id": kept.ID, "snapshot_id": other.ID}
		if compares {
			c.Expect("heap_compare", args, "nothing that lives has grown")
		} else {
			c.ExpectRefusal("FAILED", "heap_compare", args, "two documents")
		}
	}
}

func TestHeapOfStoppedPages(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home + "/debug.html"})
	c.Call("debugger_enable", nil)
	c.Call("debugger_set_breakpoint", tooltest.Args{"url": "debug.js", "line_number": 3})
	c.ExpectRefusal("PAUSED", "interact", tooltest.Args{"query": "Buy"})
	c.ExpectRefusal("PAUSED", "heap_snapshot", nil)
	c.ExpectRefusal("PAUSED", "cpu_profile", nil)
	c.ExpectRefusal("PAUSED", "heap_leaks", tooltest.Args{"calls": []any{call("tabs_context", nil)}})
	c.Call("debugger_resume", nil)
	c.Expect("heap_snapshot", nil, "snapshot_id")
}

func TestHeapLeaksRefusals(t *testing.T) {
	t.Parallel()
	home, c := serveLeaks(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	c.ExpectRefusal("FAILED", "heap_leaks", tooltest.Args{"calls": []any{call("javascript_tool", tooltest.Args{"code": "1"}), call("javascript_tool", tooltest.Args{"code": "throw new Error('broken')"})}},
		"call 2", "broken", `"step":2`, `"done":0`)
	c.ExpectRefusal("INVALID_ARGUMENTS", "heap_leaks", tooltest.Args{"calls": []any{call("heap_leaks", nil)}}, "/calls/0/tool")
	c.ExpectRefusal("INVALID_ARGUMENTS", "heap_leaks", tooltest.Args{"calls": []any{call("no_such_tool", nil)}}, "/calls/0/tool")
	c.ExpectRefusal("INVALID_ARGUMENTS", "heap_leaks", tooltest.Args{"calls": []any{}})

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := c.CallTool(ctx, tooltest.Params("heap_leaks", tooltest.Args{"repeat": 100, "calls": []any{call("javascript_tool", tooltest.Args{"code": "globalThis.begun = 'begun'"})}}))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled search ends with %v", err)
		}
	}()
	tooltest.Eventually(t, "the search has begun", func() bool {
		return strings.Contains(c.Call("javascript_tool", tooltest.Args{"code": "globalThis.begun"}), "begun")
	})
	cancel()
	<-ended
	c.Expect("heap_snapshot", nil, "snapshot_id")
}

func TestTwoSessionsAtOnce(t *testing.T) {
	t.Parallel()
	home := serveLeaks(t)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	t.Run("other", func(t *testing.T) {
		t.Parallel()
		other := tooltest.Connect(t, toolkit.Options{AllTools: true})
		other.Call("navigate", tooltest.Args{"url": home})
		text := other.Call("heap_leaks", tooltest.Args{"repeat": 3, "calls": []any{call("javascript_tool", tooltest.Args{"code": "detach()"})}})
		if !strings.Contains(text, "Detached <div>") {
			t.Error(text)
		}
	})
	t.Run("first", func(t *testing.T) {
		t.Parallel()
		first := tooltest.Connect(t, toolkit.Options{AllTools: true})
		first.Call("navigate", tooltest.Args{"url": home})
		text := first.Call("heap_leaks", tooltest.Args{"repeat": 3, "calls": []any{call("javascript_tool", tooltest.Args{"code": "growMap()"})}})
		if !strings.Contains(text, "Entry: ") {
			t.Error(text)
		}
	})
}

func TestCPUProfile(t *testing.T) {
	t.Parallel()
	home, c := serveLeaks(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	c.ExpectRefusal("FAILED", "cpu_profile", tooltest.Args{"action": "stop"}, "no CPU profile")
	c.Expect("cpu_profile", tooltest.Args{"action": "start"}, "recording")
	c.ExpectRefusal("FAILED", "cpu_profile", tooltest.Args{"action": "start"}, "stop it first")
	c.ExpectScript("busy(300); 1", "1")
	res := c.Do("cpu_profile", tooltest.Args{"action": "stop", "limit": 3})
	text := tooltest.Text(res)
	if f := find(t, `self, total: function\n(.*)`, text); !strings.Contains(f, "busy() ") && !strings.Contains(f, "busy "+home+"/app.js:") {
		t.Errorf("the busy function is not the first in\n%s", text)
	}
	links := tooltest.Links(res)
	if len(links) != 1 || !strings.Contains(c.ReadArtifact(links[0].URI), `"functionName":"busy"`) {
		t.Errorf("%+v", links)
	}
	c.Expect("cpu_profile", tooltest.Args{"ms": 50}, "recorded")
}
