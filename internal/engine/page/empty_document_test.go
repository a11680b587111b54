package page_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/fault"
)

// A document can be without a root element. No entry point may fail in the page script for that.
func TestDocumentWithoutRoot(t *testing.T) {
	b := show(t, `<button id=b>Save</button>`)
	ref := b.ref("#b")
	b.js("document.documentElement.remove()")
	for _, mode := range allModes {
		r := b.read(page.ReadOptions{Mode: mode, Hidden: true, Boxes: true})
		if !r.Empty || r.Text != "" {
			t.Errorf("mode %d reads %q, empty %v; want an empty document", mode, r.Text, r.Empty)
		}
	}
	failures := map[string]error{}
	_, failures["Content"] = b.Content(b.ctx, page.ReadOptions{}, false)
	_, _, failures["Observe"] = b.Observe(b.ctx, page.ObserveOptions{WholeDocument: true, Hidden: true})
	_, failures["Overview"] = b.Overview(b.ctx, true, 100)
	_, failures["StructuredData"] = b.StructuredData(b.ctx, page.DataOptions{Words: []string{"title"}, Multiple: true})
	_, failures["Find"] = b.Find(b.ctx, "Save", page.FindOptions{})
	_, _, failures["Query"] = b.Query(b.ctx, page.QueryOptions{CSS: "button"})
	_, failures["Click"] = b.Click(b.ctx, page.Target{Ref: ref}, page.ClickOptions{})
	_, failures["SetValue"] = b.SetValue(b.ctx, ref, "x")
	_, failures["Describe"] = b.Describe(b.ctx, ref)
	_, failures["ScrollBy"] = b.ScrollBy(b.ctx, "", 0, 100, false)
	_, failures["QueryStates"] = b.QueryStates(b.ctx, []string{"button"})
	_, failures["WaitForStable"] = b.WaitForStable(b.ctx)
	_, failures["ScrollIntoView"] = b.ScrollIntoView(b.ctx, ref)
	for name, err := range failures {
		if failure, ok := errors.AsType[*page.ScriptError](err); ok {
			t.Errorf("%s: %v: %s", name, err, failure.Stack)
		}
		if err == nil || errors.As(err, new(fault.Coded)) {
			continue
		}
		t.Errorf("%s: %v has no code", name, err)
	}
}

// A reading waits for the root of a document that a script replaces.
func TestReadWaitsForRoot(t *testing.T) {
	b := show(t, `<p>old</p>`)
	b.js(`(()=>{const r=document.documentElement;r.remove();setTimeout(()=>{document.append(r);r.querySelector('p').textContent='new'},60)})()`)
	if text := b.outline(); !strings.Contains(text, "new") {
		t.Errorf("the reading is %q", text)
	}
}

// Top documents that are no HTML are read without a failure of the page script.
func TestReadOtherDocuments(t *testing.T) {
	serve := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(body)) // the browser shows what arrives
		}
	}
	b := open(t, map[string]any{
		"/":      "<p>start</p>",
		"/xml":   serve("application/xml", `<list><item>milk</item></list>`),
		"/svg":   serve("image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">drawn</text></svg>`),
		"/plain": serve("text/plain", "just text"),
		"/png":   serve("image/png", "\x89PNG\r\n\x1a\n"),
		"/json":  serve("application/json", `{"a":1}`),
		"/bad":   serve("application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><p>cut`),
	})
	for path, want := range map[string]string{"/xml": "milk", "/svg": "drawn", "/plain": "just text", "/png": "", "/json": `"a":1`, "/bad": "error"} {
		b.load(path)
		for _, mode := range allModes {
			text := b.read(page.ReadOptions{Mode: mode, Hidden: true}).Text
			if mode == page.ModeCompact && !strings.Contains(text, want) {
				t.Errorf("%s reads %q, want %q in it", path, text, want)
			}
		}
		if _, err := b.Overview(b.ctx, true, 100); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
