package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

func TestRefsStayWithTheirElement(t *testing.T) {
	b := pagetest.Show(t, `<button id=a>Same</button><button id=b>Same</button><div id=rows></div>`)
	first := b.Outline()
	b.JS(`document.body.prepend(Object.assign(document.createElement('button'), {textContent: 'New'}))`)
	second := b.Outline()
	if !strings.Contains(first, `"Same" [e1]`) || !strings.HasPrefix(second, "- button \"New\" [e3]\n- button \"Same\" [e1]\n- button \"Same\" [e2]\n") {
		t.Errorf("readings:\n%s\n%s", first, second)
	}
	b.JS(`(document.querySelector('#b').onclick = e => document.title = 'second', 1)`)
	if e := b.MustClick("e2"); e.Title != "second" {
		t.Errorf("e2 is not the second one: %+v", e)
	}
}

func TestUnknownRefs(t *testing.T) {
	b := pagetest.Show(t, `<button>Go</button>`)
	b.Outline()
	var unknown *document.UnknownRefError
	for _, ref := range []string{"e2", "e0", "e-1", "x1", "", "e01", "e99999999999999999999", "e1 "} {
		if _, err := b.Document.Describe(b.Ctx, ref); !errors.As(err, &unknown) {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestStaleRefs(t *testing.T) {
	b := pagetest.Open(t, map[string]any{
		"/":      `<button id=save>Save</button><button id=play>Play</button>`,
		"/other": `<button>Save</button><button>Cancel</button>`,
	})
	b.Outline()
	stale := func(ref, reason, candidate string) {
		t.Helper()
		_, err := b.Widget.Click(b.Ctx, input.Target{Ref: ref}, input.ClickOptions{})
		var e *document.StaleRefError
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", ref, err)
		}
		if !strings.Contains(e.Reason, reason) || len(e.Candidates) == 0 || e.Candidates[0].Name != candidate {
			t.Errorf("%s: %v", ref, e)
		}
	}
	b.JS(`document.querySelector('#play').textContent = 'Pause'`)
	stale("e2", "name changed", "Pause")
	b.MustClick("e2") // the error has shown the new name
	b.JS(`document.querySelector('#save').outerHTML = '<button id=save>Save</button>'`)
	stale("e1", "no longer in the page", "Save")
	b.JS(`document.querySelector('#play').setAttribute('role', 'switch')`)
	stale("e2", "role changed", "Pause")
	b.JS(`location.href = '/other'`)
	if _, err := b.Settle.WaitFor(b.Ctx, settle.WaitOptions{URL: "/other", Text: "Cancel"}); err != nil {
		t.Fatal(err)
	}
	stale("e1", "document it belonged to was replaced", "Save")
	if text := b.Outline(); strings.Contains(text, "[e1]") || strings.Contains(text, "[e2]") {
		t.Errorf("numbers were used again:\n%s", text)
	}
}
