package page_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/fault"
)

// A document can be without a root element. No entry point may fail in the page script for that.
func TestDocumentWithoutRoot(t *testing.T) {
	b := pagetest.Show(t, `<button id=b>Save</button>`)
	ref := b.Ref("#b")
	b.JS("document.documentElement.remove()")
	for _, mode := range allModes {
		r := b.MustRead(read.Options{Mode: mode, Hidden: true, Boxes: true})
		if !r.Empty || r.Text != "" {
			t.Errorf("mode %d reads %q, empty %v; want an empty document", mode, r.Text, r.Empty)
		}
	}
	failures := map[string]error{}
	_, failures["Content"] = b.Read.Content(b.Ctx, read.Options{}, false)
	_, _, failures["Observe"] = b.Read.Observe(b.Ctx, read.ObserveOptions{WholeDocument: true, Hidden: true})
	_, failures["Overview"] = b.Read.Overview(b.Ctx, true, 100)
	_, failures["StructuredData"] = b.Read.StructuredData(b.Ctx, read.DataOptions{Words: []string{"title"}, Multiple: true})
	_, failures["Find"] = b.Locate.Find(b.Ctx, "Save", locate.FindOptions{})
	_, _, failures["Query"] = b.Locate.Query(b.Ctx, locate.QueryOptions{CSS: "button"})
	_, failures["Click"] = b.Widget.Click(b.Ctx, input.Target{Ref: ref}, input.ClickOptions{})
	_, failures["SetValue"] = b.Widget.SetValue(b.Ctx, ref, "x")
	_, failures["Describe"] = b.Document.Describe(b.Ctx, ref)
	_, failures["ScrollBy"] = b.Mouse.ScrollBy(b.Ctx, "", 0, 100, false)
	_, failures["QueryStates"] = b.Locate.QueryStates(b.Ctx, []string{"button"})
	_, failures["WaitForStable"] = b.Settle.WaitForStable(b.Ctx)
	_, failures["ScrollIntoView"] = b.Mouse.ScrollIntoView(b.Ctx, ref)
	for name, err := range failures {
		if failure, ok := errors.AsType[*document.ScriptError](err); ok {
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
	b := pagetest.Show(t, `<p>old</p>`)
	b.JS(`(()=>{const r=document.documentElement;r.remove();setTimeout(()=>{document.append(r);r.querySelector('p').textContent='new'},60)})()`)
	if text := b.Outline(); !strings.Contains(text, "new") {
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
	b := pagetest.Open(t, map[string]any{
		"/":      "<p>start</p>",
		"/xml":   serve("application/xml", `<list><item>milk</item></list>`),
		"/svg":   serve("image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">drawn</text></svg>`),
		"/plain": serve("text/plain", "just text"),
		"/png":   serve("image/png", "\x89PNG\r\n\x1a\n"),
		"/json":  serve("application/json", `{"a":1}`),
		"/bad":   serve("application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><p>cut`),
	})
	for path, want := range map[string]string{"/xml": "milk", "/svg": "drawn", "/plain": "just text", "/png": "", "/json": `"a":1`, "/bad": "error"} {
		b.Load(path)
		for _, mode := range allModes {
			text := b.MustRead(read.Options{Mode: mode, Hidden: true}).Text
			if mode == read.ModeCompact && !strings.Contains(text, want) {
				t.Errorf("%s reads %q, want %q in it", path, text, want)
			}
		}
		if _, err := b.Read.Overview(b.Ctx, true, 100); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
