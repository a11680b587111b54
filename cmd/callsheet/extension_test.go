package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/engine/extension"
)

// withExtension starts a browser without a debugging port and loads the extension that install wrote.
func withExtension(t *testing.T, s shell, addresses ...string) *person {
	t.Helper()
	dir := t.TempDir()
	s.does("extension install --user-data-dir "+dir, "com.callsheet.host.json", "Load unpacked")
	p := startPersonAs(t, &person{dir: dir, pipe: true, env: append([]string{asServer + "=1", "GORACE=atexit_sleep_ms=0"}, s.env...)}, addresses...)
	path := strings.TrimSpace(s.does("extension path"))
	var loaded struct{ ID string }
	p.call("", "Extensions.loadUnpacked", map[string]any{"path": path}, &loaded)
	if loaded.ID != extension.ID {
		t.Fatalf("the extension has the id %s, and the native host allows %s", loaded.ID, extension.ID)
	}
	if _, err := os.Stat(filepath.Join(dir, "DevToolsActivePort")); err == nil {
		t.Error("the browser has a debugging port")
	}
	return p
}

// popup opens the popup of the extension as a page, for the tab whose address has a part, and presses
// a button in it.
func (p *person) popup(button, part string) {
	p.t.Helper()
	address := "chrome-extension://" + extension.ID + "/popup.html"
	if part != "" {
		address += "?tab=" + p.tabID(part)
	}
	p.extensionPage(address, func(evaluate func(code string) string) {
		before := ""
		eventually(p.t, "the popup shows its state", func() bool {
			before = evaluate(`globalThis.state ? state.textContent : "…"`)
			return before != "…" && before != ""
		})
		evaluate("document.getElementById('" + button + "').click()")
		eventually(p.t, "the popup shows a change", func() bool {
			now := evaluate("state.textContent")
			return now != before && now != ""
		})
	})
}

// tabID asks the extension for the id of a tab, as it names them.
func (p *person) tabID(part string) (id string) {
	p.t.Helper()
	p.extensionPage("chrome-extension://"+extension.ID+"/popup.html?tab=0", func(evaluate func(code string) string) {
		eventually(p.t, "the extension names the tab", func() bool {
			id = evaluate(`globalThis.chrome?.tabs ? (chrome.tabs.query({}).then(all => found = String(all.find(t => t.url.includes("` + part + `"))?.id ?? "")), globalThis.found ?? "") : ""`)
			return id != ""
		})
	})
	return id
}

// extensionPage opens a page of the extension for as long as fn runs. Another one may still be closing, so that its
// address does not tell which one is meant.
func (p *person) extensionPage(address string, fn func(evaluate func(code string) string)) {
	p.t.Helper()
	var made target.CreateTargetResult
	p.call("", "Target.createTarget", map[string]any{"url": address, "background": true}, &made)
	p.inTarget(made.TargetID, func(session target.SessionID) {
		fn(func(code string) string { return p.evaluateIn(session, code) })
	})
	p.call("", "Target.closeTarget", map[string]any{"targetId": made.TargetID}, &struct{}{})
	eventually(p.t, "the page of the extension closes", func() bool {
		return !slices.ContainsFunc(p.targets(), func(i *target.Info) bool { return i.TargetID == made.TargetID })
	})
}

// TestExtension has two clients work in a browser without a debugging port, at the same time, and
// kills the daemon.
func TestExtension(t *testing.T) {
	t.Parallel()
	site, s := personSite(t), newShell(t)
	person := withExtension(t, s, site+"/private", site+"/private?second")
	s.fails(exit.Transport, "attach --extension", "press the Callsheet button")
	before := person.state()
	person.popup("connect", "")
	eventually(t, "the extension reaches the daemon", func() bool {
		out, _, code := s.run("attach", "--extension")
		return code == exit.OK && strings.Contains(out, "through the extension")
	})
	s.twoWork(person, site, before)
	s.killUnder(person, before)
}

// TestSharedTab lets an agent use one tab of the person, and takes it back.
func TestSharedTab(t *testing.T) {
	t.Parallel()
	site, s := personSite(t), newShell(t)
	person := withExtension(t, s, site+"/private", site+"/agent?n=shared")
	person.popup("share", "n=shared")
	eventually(t, "the extension reaches the daemon", func() bool {
		_, _, code := s.run("attach", "--extension")
		return code == exit.OK
	})
	a := s.agent("one")
	if text := a.call("navigate", map[string]any{"url": site + "/agent?n=own"}); !strings.Contains(text, "Agent own") {
		t.Fatal(text)
	}
	if text := a.call("list_targets", nil); !strings.Contains(text, "Agent shared") || strings.Contains(text, "/private") {
		t.Errorf("an agent sees %s", text)
	}
	a.call("switch_target", map[string]any{"title": "Agent shared"})
	if text := a.call("read_page", nil); !strings.Contains(text, "Press") || !strings.Contains(text, "Agent shared") {
		t.Errorf("the shared tab reads %s", text)
	}
	a.call("interact", map[string]any{"query": "Press", "action": "click"})
	if got := person.evaluate("n=shared", "document.title"); got != "pressed" {
		t.Errorf("the click in the shared tab: %q", got)
	}
	if text := a.call("tabs_close", map[string]any{}); len(person.pages()) != 3 {
		t.Errorf("an agent closed the person's tab: %s", text)
	}
	a.call("switch_target", map[string]any{"title": "pressed"})
	person.popup("stop", "")
	eventually(t, "the agent's tab closes", func() bool { return len(person.pages()) == 2 })
	if text := a.call("switch_target", map[string]any{"title": "pressed"}); !strings.HasPrefix(text, "refused") {
		t.Errorf("after the stop: %s", text)
	}
	if got := person.evaluate("n=shared", "document.title"); got != "pressed" {
		t.Errorf("the shared tab after the stop: %q", got)
	}
}
