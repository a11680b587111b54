package browser_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// takeSnapshot takes a snapshot and returns its id and the ref of the line that contains want.
func takeSnapshot(t *testing.T, c tooltest.Client, want string) (id, ref string) {
	t.Helper()
	text := c.Call("browser_snapshot", tooltest.Args{})
	_, rest, ok := strings.Cut(text, "snapshotId ")
	id, _, _ = strings.Cut(rest, " ")
	for line := range strings.Lines(text) {
		if m := regexp.MustCompile(`\[(@e[0-9]+)\]`).FindStringSubmatch(line); m != nil && strings.Contains(line, want) {
			ref = m[1]
		}
	}
	if !ok || id == "" || ref == "" {
		t.Fatalf("no id, or no ref for %s, in\n%s", want, text)
	}
	return id, ref
}

// TestScopeBrowser serves two tools, in both eras, whatever is asked for.
func TestScopeBrowser(t *testing.T) {
	for _, revision := range []string{tooltest.SessionRevision, ""} {
		c := tooltest.ConnectAs(t, toolkit.Options{Scope: "browser"}, revision, nil)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 2 || list.Tools[0].Name != "browser_click_ref" || list.Tools[1].Name != "browser_snapshot" {
			t.Errorf("%q: %v %v", revision, list, err)
		}
		if _, err := c.CallTool(t.Context(), tooltest.Params("navigate", tooltest.Args{"url": "about:blank"})); err == nil || !strings.Contains(err.Error(), "unknown tool") {
			t.Errorf("%q: navigate: %v", revision, err)
		}
	}
	list, err := tooltest.Connect(t, toolkit.Options{AllTools: true}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if strings.HasPrefix(tool.Name, "browser_") {
			t.Errorf("scope default lists %s", tool.Name)
		}
	}
}

// TestClickRef clicks what a snapshot has shown, and nothing else.
func TestClickRef(t *testing.T) {
	agent, c := tooltest.Connect(t, toolkit.Options{}), tooltest.ConnectSecond(t, toolkit.Options{Scope: "browser"})
	c.ExpectRefusal("NO_TAB", "browser_snapshot", tooltest.Args{}, "callsheet navigate URL", "--scope browser alone")
	agent.Call("navigate", tooltest.Args{"url": tooltest.ServeSite(t)})
	agent.Call("javascript_tool", tooltest.Args{"code": `document.body.innerHTML =
		'<h1>Shop</h1><p>words</p><button onclick="document.title = event.detail + event.type">Buy [e1]</button><div role=group><button>Other</button></div>'; 0`})

	id, buy := takeSnapshot(t, c, `"Buy [e1]" [@e`)
	c.Expect("browser_click_ref", tooltest.Args{"snapshotId": id, "ref": buy}, `clicked button "Buy [e1]" [`+buy+`]`)
	agent.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "1click")
	c.Call("browser_click_ref", tooltest.Args{"snapshotId": id, "ref": buy, "doubleClick": true})
	agent.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "2click")

	c.ExpectRefusal("NOT_FOUND", "browser_snapshot", tooltest.Args{"rootSelector": "#nowhere"})
	if text := c.Call("browser_snapshot", tooltest.Args{"rootSelector": "div", "interactive": false}); strings.Contains(text, "Buy") {
		t.Errorf("a subtree shows more: %s", text)
	}
	if text := c.Call("browser_snapshot", tooltest.Args{"interactive": false}); !strings.Contains(text, "words") {
		t.Errorf("no text: %s", text)
	}
	for _, bad := range []tooltest.Args{
		{"snapshotId": id, "ref": "e1"}, {"snapshotId": id}, {"snapshotId": id, "ref": "@e1", "timeout": 0},
		{"snapshotId": id, "ref": "@e1", "policy": tooltest.Args{"allowEvaluate": true}},
	} {
		c.ExpectRefusal("INVALID_ARGUMENTS", "browser_click_ref", bad)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "browser_snapshot", tooltest.Args{"maxDepth": 13})
}

// TestStaleSnapshots: whatever became another thing since the snapshot is not clicked, also not at
// the second attempt.
func TestClickRefRefusesStaleSnapshots(t *testing.T) {
	agent, c := tooltest.Connect(t, toolkit.Options{}), tooltest.ConnectSecond(t, toolkit.Options{Scope: "browser"})
	url := tooltest.ServeSite(t)
	open := func() (string, string) {
		t.Helper()
		agent.Call("navigate", tooltest.Args{"url": url})
		agent.Call("javascript_tool", tooltest.Args{"code": `document.body.innerHTML = '<button id=a onclick="document.title = 1">Pay</button>'; document.title = 0`})
		return takeSnapshot(t, c, `"Pay"`)
	}
	for what, change := range map[string]func(){
		"renamed":       func() { agent.Call("javascript_tool", tooltest.Args{"code": "a.textContent = 'Delete'; 0"}) },
		"another role":  func() { agent.Call("javascript_tool", tooltest.Args{"code": "a.setAttribute('role', 'link'); 0"}) },
		"removed":       func() { agent.Call("javascript_tool", tooltest.Args{"code": "a.remove(); 0"}) },
		"a twin":        func() { agent.Call("javascript_tool", tooltest.Args{"code": "a.outerHTML = a.outerHTML; 0"}) },
		"reloaded":      func() { agent.Call("page_reload", tooltest.Args{}) },
		"another page":  func() { agent.Call("navigate", tooltest.Args{"url": url + "/second.html"}) },
		"a new reading": func() { c.Call("browser_snapshot", tooltest.Args{}) },
		"another tab":   func() { agent.Call("tabs_create", tooltest.Args{"url": url}) },
	} {
		id, ref := open()
		change()
		for range 2 {
			c.ExpectRefusal("STALE_REF", "browser_click_ref", tooltest.Args{"snapshotId": id, "ref": ref}, "take a new snapshot with browser_snapshot")
		}
		if title := agent.Call("javascript_tool", tooltest.Args{"code": "document.title"}); strings.Contains(title, "1") {
			t.Errorf("%s: it was clicked", what)
		}
	}
	id, _ := open()
	c.ExpectRefusal("STALE_REF", "browser_click_ref", tooltest.Args{"snapshotId": id, "ref": "@e9999"}, "does not show it")
	agent.Call("javascript_tool", tooltest.Args{"code": "a.textContent = 'Delete'; 0"})
	id, ref := takeSnapshot(t, c, `"Delete"`)
	c.Expect("browser_click_ref", tooltest.Args{"snapshotId": id, "ref": ref}, "clicked")
	agent.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "1")
}
