package audit_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/audit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/powertest"
)

// axeSource unpacks the vendored axe-core, and holds its banner against the pinned version.
func axeSource(t *testing.T) string {
	t.Helper()
	file, err := os.Open("axe/axe.min.js.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := os.ReadFile("axe/VERSION")
	if err != nil {
		t.Fatal(err)
	}
	version := strings.Fields(string(pinned))[1]
	if !strings.HasPrefix(string(text), "/*! axe v"+version+"\n") {
		t.Fatalf("axe/VERSION pins %s, the script begins with %.40q", version, text)
	}
	return string(text)
}

// direct is the result of axe.run in the page's own world.
type direct struct {
	Violations, Incomplete []struct {
		ID     string
		Impact string
		Nodes  []struct{ Target []json.RawMessage }
	}
	Passes, Inapplicable []struct{ ID string }
}

// runDirectly injects axe into the own worlds of the page and of its frames over CDP, and runs it.
func runDirectly(ctx context.Context, t *testing.T, tab *browser.Tab, source string) (out direct) {
	t.Helper()
	session, err := tab.Protocol(ctx)
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	text, err := json.Marshal(source)
	if err != nil {
		t.Fatal(err)
	}
	inFrames := "for (let i = 0; i < frames.length; i++) frames[i].eval(" + string(text) + ")"
	const last = 2
	for i, script := range []string{source, inFrames, "axe.run(document).then((r) => JSON.stringify(r))"} {
		res, err := cdp.Call(ctx, session, runtime.Evaluate, runtime.EvaluateParams{Expression: script, AwaitPromise: &yes, ReturnByValue: &yes})
		if err != nil || res.ExceptionDetails != nil {
			t.Fatal(err, res.ExceptionDetails)
		}
		if i < last {
			continue
		}
		var text string
		if err := json.Unmarshal(res.Result.Value, &text); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// results writes a result as lines that can be compared: each rule with its impact and its nodes.
func (d direct) results() map[string]string {
	out := map[string]string{}
	for kind, rules := range map[string]any{"violation": d.Violations, "incomplete": d.Incomplete} {
		for _, r := range rules.([]struct {
			ID     string
			Impact string
			Nodes  []struct{ Target []json.RawMessage }
		}) {
			var targets []string
			for _, n := range r.Nodes {
				targets = append(targets, audit.TargetText(n.Target))
			}
			out[kind+" "+r.ID] = describeRule(r.Impact, len(r.Nodes), targets)
		}
	}
	for _, r := range d.Passes {
		out["pass "+r.ID] = ""
	}
	for _, r := range d.Inapplicable {
		out["inapplicable "+r.ID] = ""
	}
	return out
}

func describeRule(impact string, total int, targets []string) string {
	targets = targets[:min(len(targets), 200)]
	return fmt.Sprintf("%s %d\n%s", impact, total, strings.Join(targets, "\n"))
}

func reported(r *audit.Report) map[string]string {
	out := map[string]string{}
	for kind, list := range map[string][]audit.Finding{"violation": r.Findings, "incomplete": r.Review} {
		for _, f := range list {
			var targets []string
			for _, o := range f.Offenders {
				targets = append(targets, o.Target)
			}
			out[kind+" "+f.ID] = describeRule(string(f.Impact), f.Total, targets)
		}
	}
	for _, id := range r.Passed[audit.Accessibility] {
		out["pass "+id] = ""
	}
	for _, id := range r.Inapplicable[audit.Accessibility] {
		out["inapplicable "+id] = ""
	}
	return out
}

// compare audits a page and runs axe in it directly, and wants the same.
func compare(t *testing.T, b *browser.Browser, address, source string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tab, _, err := b.Session("axe").Open(ctx, powertest.Window, powertest.Navigation, address, browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := audit.Run(ctx, tab, audit.Options{Categories: []audit.Category{audit.Accessibility}})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Unknown) > 0 {
		t.Fatalf("%s: not judged: %+v", address, report.Unknown)
	}
	got, want := reported(report), runDirectly(ctx, t, tab, source).results()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if have, ok := got[name]; !ok || have != want[name] {
			t.Errorf("%s: %s is\n%s\nand directly\n%s", address, name, have, want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is found, and directly not", address, name)
		}
	}
	t.Logf("%s: %d violations, %d to review, %d passes, %d inapplicable: the same", address, len(report.Findings), len(report.Review),
		len(report.Passed[audit.Accessibility]), len(report.Inapplicable[audit.Accessibility]))
}

func openBrowser(t *testing.T) *browser.Browser {
	t.Helper()
	b := browser.New(browser.Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	return b
}

// TestAxeAsDirectly compares an audit with axe.run on pages of this test.
func TestAxeAsDirectly(t *testing.T) {
	t.Parallel()
	source, b := axeSource(t), openBrowser(t)
	srv := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	t.Cleanup(srv.Close)
	for _, name := range []string{"form.html", "shadow.html", "frames.html"} {
		compare(t, b, srv.URL+"/"+name, source)
	}
}

// widgetsVariable asks for the test that needs the component libraries; see make audit-widgets.
const widgetsVariable = "CALLSHEET_AUDIT_WIDGETS"

// TestAxeOnComponentLibraries compares an audit with axe.run on pages of component libraries.
func TestAxeOnComponentLibraries(t *testing.T) {
	if os.Getenv(widgetsVariable) == "" {
		t.Skip("needs 900 MB of component libraries: make audit-widgets")
	}
	dir := filepath.Join("..", "..", "..", "bench", "widgets", "testdata")
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		t.Fatalf("%v; run make widgets-install", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(dir, "pages"))))
	mux.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(filepath.Join(dir, "node_modules")))))
	mux.Handle("/dist/", http.StripPrefix("/dist/", http.FileServer(http.Dir(filepath.Join(dir, "dist")))))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	source, b := axeSource(t), openBrowser(t)
	for _, name := range []string{
		"ag-grid", "antd", "bootstrap", "datatables", "element-plus", "fullcalendar", "headlessui", "jquery-ui", "mui", "select2", "shoelace", "vuetify",
	} {
		t.Run(name, func(t *testing.T) { compare(t, b, srv.URL+"/"+name+".html", source) })
	}
}
