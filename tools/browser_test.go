package tools_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// snapshotted takes a snapshot and returns its id and the ref of the line that contains want.
func snapshotted(t *testing.T, c client, want string) (id, ref string) {
	t.Helper()
	text := c.call("browser_snapshot", args{})
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
	for _, revision := range []string{sessions, ""} {
		c := connectAs(t, toolkit.Options{Scope: "browser"}, revision, nil)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 2 || list.Tools[0].Name != "browser_click_ref" || list.Tools[1].Name != "browser_snapshot" {
			t.Errorf("%q: %v %v", revision, list, err)
		}
		if _, err := c.CallTool(t.Context(), params("navigate", args{"url": "about:blank"})); err == nil || !strings.Contains(err.Error(), "unknown tool") {
			t.Errorf("%q: navigate: %v", revision, err)
		}
	}
	list, err := connect(t, toolkit.Options{AllTools: true}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if strings.HasPrefix(tool.Name, "browser_") {
			t.Errorf("scope default lists %s", tool.Name)
		}
	}
}

// TestSnapshotClicks clicks what a snapshot has shown, and nothing else.
func TestSnapshotClicks(t *testing.T) {
	agent, c := connect(t, toolkit.Options{}), connect(t, toolkit.Options{Scope: "browser"}) // of the same tabs
	c.refused("NO_TAB", "browser_snapshot", args{})
	agent.call("navigate", args{"url": site(t)})
	agent.call("javascript_tool", args{"code": `document.body.innerHTML =
		'<h1>Shop</h1><p>words</p><button onclick="document.title = event.detail + event.type">Buy [e1]</button><div role=group><button>Other</button></div>'; 0`})

	id, buy := snapshotted(t, c, `"Buy [e1]" [@e`)
	c.says("browser_click_ref", args{"snapshotId": id, "ref": buy}, `clicked button "Buy [e1]" [`+buy+`]`)
	agent.says("javascript_tool", args{"code": "document.title"}, "1click")
	c.call("browser_click_ref", args{"snapshotId": id, "ref": buy, "doubleClick": true})
	agent.says("javascript_tool", args{"code": "document.title"}, "2click")

	c.refused("NOT_FOUND", "browser_snapshot", args{"rootSelector": "#nowhere"})
	if text := c.call("browser_snapshot", args{"rootSelector": "div", "interactive": false}); strings.Contains(text, "Buy") {
		t.Errorf("a subtree shows more: %s", text)
	}
	if text := c.call("browser_snapshot", args{"interactive": false}); !strings.Contains(text, "words") {
		t.Errorf("no text: %s", text)
	}
	for _, bad := range []args{
		{"snapshotId": id, "ref": "e1"}, {"snapshotId": id}, {"snapshotId": id, "ref": "@e1", "timeout": 0},
		{"snapshotId": id, "ref": "@e1", "policy": args{"allowEvaluate": true}},
	} {
		c.refused("INVALID_ARGUMENTS", "browser_click_ref", bad)
	}
	c.refused("INVALID_ARGUMENTS", "browser_snapshot", args{"maxDepth": 13})
}

// TestStaleSnapshots: whatever became another thing since the snapshot is not clicked, also not at the second attempt.
func TestStaleSnapshots(t *testing.T) {
	agent, c := connect(t, toolkit.Options{}), connect(t, toolkit.Options{Scope: "browser"})
	url := site(t)
	open := func() (string, string) {
		t.Helper()
		agent.call("navigate", args{"url": url})
		agent.call("javascript_tool", args{"code": `document.body.innerHTML = '<button id=a onclick="document.title = 1">Pay</button>'; document.title = 0`})
		return snapshotted(t, c, `"Pay"`)
	}
	for what, change := range map[string]func(){
		"renamed":       func() { agent.call("javascript_tool", args{"code": "a.textContent = 'Delete'; 0"}) },
		"another role":  func() { agent.call("javascript_tool", args{"code": "a.setAttribute('role', 'link'); 0"}) },
		"removed":       func() { agent.call("javascript_tool", args{"code": "a.remove(); 0"}) },
		"a twin":        func() { agent.call("javascript_tool", args{"code": "a.outerHTML = a.outerHTML; 0"}) },
		"reloaded":      func() { agent.call("page_reload", args{}) },
		"another page":  func() { agent.call("navigate", args{"url": url + "/second.html"}) },
		"a new reading": func() { c.call("browser_snapshot", args{}) },
		"another tab":   func() { agent.call("tabs_create", args{"url": url}) },
	} {
		id, ref := open()
		change()
		for range 2 {
			c.refused("STALE_REF", "browser_click_ref", args{"snapshotId": id, "ref": ref}, "take a new snapshot with browser_snapshot")
		}
		if title := agent.call("javascript_tool", args{"code": "document.title"}); strings.Contains(title, "1") {
			t.Errorf("%s: it was clicked", what)
		}
	}
	id, _ := open()
	c.refused("STALE_REF", "browser_click_ref", args{"snapshotId": id, "ref": "@e9999"}, "does not show it")
	agent.call("javascript_tool", args{"code": "a.textContent = 'Delete'; 0"})
	id, ref := snapshotted(t, c, `"Delete"`)
	c.says("browser_click_ref", args{"snapshotId": id, "ref": ref}, "clicked")
	agent.says("javascript_tool", args{"code": "document.title"}, "1")
}
