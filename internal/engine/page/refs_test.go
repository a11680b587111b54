package page_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page"
)

func TestRefsStayWithTheirElement(t *testing.T) {
	b := show(t, `<button id=a>Same</button><button id=b>Same</button><div id=rows></div>`)
	first := b.outline()
	b.js(`document.body.prepend(Object.assign(document.createElement('button'), {textContent: 'New'}))`)
	second := b.outline()
	if !strings.Contains(first, `"Same" [e1]`) || !strings.HasPrefix(second, "- button \"New\" [e3]\n- button \"Same\" [e1]\n- button \"Same\" [e2]\n") {
		t.Errorf("readings:\n%s\n%s", first, second)
	}
	b.js(`(document.querySelector('#b').onclick = e => document.title = 'second', 1)`)
	if e := b.click("e2"); e.Title != "second" {
		t.Errorf("e2 is not the second one: %+v", e)
	}
}

func TestUnknownRefs(t *testing.T) {
	b := show(t, `<button>Go</button>`)
	b.outline()
	var unknown *page.UnknownRefError
	for _, ref := range []string{"e2", "e0", "e-1", "x1", "", "e01", "e99999999999999999999", "e1 "} {
		if _, err := b.Describe(b.ctx, ref); !errors.As(err, &unknown) {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestStaleRefs(t *testing.T) {
	b := open(t, map[string]any{
		"/":      `<button id=save>Save</button><button id=play>Play</button>`,
		"/other": `<button>Save</button><button>Cancel</button>`,
	})
	b.outline()
	stale := func(ref, reason, candidate string) {
		t.Helper()
		_, err := b.Click(b.ctx, page.Target{Ref: ref}, page.ClickOptions{})
		var e *page.StaleRefError
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", ref, err)
		}
		if !strings.Contains(e.Reason, reason) || len(e.Candidates) == 0 || e.Candidates[0].Name != candidate {
			t.Errorf("%s: %v", ref, e)
		}
	}
	b.js(`document.querySelector('#play').textContent = 'Pause'`)
	stale("e2", "name changed", "Pause")
	b.click("e2") // the error has shown the new name
	b.js(`document.querySelector('#save').outerHTML = '<button id=save>Save</button>'`)
	stale("e1", "no longer in the page", "Save")
	b.js(`document.querySelector('#play').setAttribute('role', 'switch')`)
	stale("e2", "role changed", "Pause")
	b.js(`location.href = '/other'`)
	if _, err := b.WaitFor(b.ctx, page.WaitOptions{URL: "/other", Text: "Cancel"}); err != nil {
		t.Fatal(err)
	}
	stale("e1", "document it belonged to was replaced", "Save")
	if text := b.outline(); strings.Contains(text, "[e1]") || strings.Contains(text, "[e2]") {
		t.Errorf("numbers were used again:\n%s", text)
	}
}
