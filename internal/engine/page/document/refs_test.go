package document_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdpruntime "github.com/chromedp/cdproto/runtime"

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

// heldSession holds back its next call to the page engine until it is released.
type heldSession struct {
	cdp.Session
	held atomic.Pointer[chan struct{}]
}

func (s *heldSession) Call(ctx context.Context, method string, params, result any) error {
	if call, ok := params.(cdpruntime.CallFunctionOnParams); ok && len(call.Arguments) == 5 {
		if release := s.held.Swap(nil); release != nil {
			<-*release
		}
	}
	return s.Session.Call(ctx, method, params, result)
}

// TestRefsOfTabsUsedAtOnce lets calls on two tabs overlap. A call that issues no ref leaves the page engine with the first
// number that it was given, which a later call on the other tab is given too.
func TestRefsOfTabsUsedAtOnce(t *testing.T) {
	var numbers document.RefNumbers
	tabs, sessions := [2]*pagetest.Tab{}, [2]*heldSession{}
	for i := range tabs {
		tabs[i] = pagetest.Show(t, `<button id=a>First</button><button id=b>Second</button>`)
		sessions[i] = &heldSession{Session: tabs[i].Session}
		tabs[i].UseSession(sessions[i])
		tabs[i].Document.Refs.Share(&numbers)
		tabs[i].Ref("#a")
	}
	// during runs call while one on the tab is held back, and returns the ref that the latter gives.
	during := func(i int, css string, call func()) (ref string) {
		release, done := make(chan struct{}), make(chan struct{})
		sessions[i].held.Store(&release)
		go func() {
			defer close(done)
			ref = tabs[i].Ref(css)
		}()
		for sessions[i].held.Load() != nil {
			runtime.Gosched()
		}
		call()
		close(release)
		<-done
		return ref
	}
	during(0, "#a", func() { tabs[1].Ref("#a") })
	var first string
	second := during(1, "#b", func() { first = tabs[0].Ref("#b") })
	if first == second {
		t.Errorf("%s is a ref of both tabs", first)
	}
}
