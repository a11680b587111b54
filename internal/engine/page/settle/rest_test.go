package settle_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/powertest"
)

// TestRefusalsOnAPageAtRestAreFinal compares with the same click on a page that moves, which has the
// whole patience of a click (5 s), and with the wait of a search.
func TestRefusalsOnAPageAtRestAreFinal(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<button id=off disabled>Off</button><button id=under>Under</button>
<div id=over style="position:fixed;inset:0;background:#fff8">Over</div>`)
	moving := pagetest.Show(t, `<button id=off disabled>Off</button><p id=n>0</p><script>setInterval(() => n.textContent++, 100)</script>`)
	patience := refusalTime(t, moving, "#off")
	for _, selector := range []string{"#off", "#under"} {
		if took := refusalTime(t, b, selector); took > patience*9/10 {
			t.Errorf("the refusal of %s came after %v on a page at rest, and after %v on one that moves", selector, took, patience)
		}
	}
	begun := time.Now()
	if found, err := b.Locate.Find(b.Ctx, "Nothing such", locate.FindOptions{Wait: time.Minute}); err != nil || len(found) != 0 {
		t.Errorf("found %v, %v", found, err)
	}
	if took := time.Since(begun); took > 50*time.Second {
		t.Errorf("the search ended after %v on a page at rest", took)
	}
}

// refusalTime returns how long a click on what cannot be clicked took.
func refusalTime(t *testing.T, b *pagetest.Tab, selector string) time.Duration {
	t.Helper()
	target := input.Target{Ref: b.Ref(selector)}
	begun := time.Now()
	_, err := b.Widget.Click(b.Ctx, target, input.ClickOptions{})
	if _, ok := errors.AsType[*document.NotActionableError](err); !ok {
		t.Errorf("clicking %s gives %v", selector, err)
	}
	return time.Since(begun)
}

// TestAPageThatMovesKeepsThePatience enables, uncovers and adds by timers, after a message, a
// response and an animation.
func TestAPageThatMovesKeepsThePatience(t *testing.T) {
	t.Parallel()
	for name, fixture := range map[string]string{
		"timer":     `<button id=x disabled>X</button><script>setTimeout(() => x.disabled = false, 1500)</script>`,
		"countdown": `<button id=x disabled>X</button><p id=n>2</p><script>setInterval(() => { n.textContent--; x.disabled = n.textContent > 0 }, 800)</script>`,
		"request":   `<button id=x disabled>X</button><button id=first onclick="fetch('/slow').then(() => x.disabled = false)">First</button>`,
		"animation": `<style>@keyframes a { to { left: -100vw } }</style><button id=x>X</button>
<div style="position:fixed;inset:0;background:#fff;animation:a 1s 1s forwards" onanimationend="this.remove()"></div>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := pagetest.Open(t, map[string]any{"/": "<!doctype html>" + fixture, "/slow": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				select {
				case <-time.After(1500 * time.Millisecond):
				case <-r.Context().Done():
				}
			})})
			target := b.Ref("#x")
			if name == "request" {
				b.JS("first.click()")
			}
			b.MustClick(target)
		})
	}
}

// A request can end after the page has refused an action and before the refusal arrives.
func TestARequestThatEndedLatelyKeepsThePatience(t *testing.T) {
	answer := make(chan struct{})
	b := pagetest.Open(t, map[string]any{
		"/":     `<!doctype html><button id=x disabled>X</button><script>const go = () => fetch('/text').then(() => { x.disabled = false })</script>`,
		"/text": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-answer }),
	})
	tab, release := *b, sync.OnceFunc(func() { close(answer) })
	t.Cleanup(release)
	b.UseSession(lateSession{b.Session, "waitActionable", new(sync.Once), func() {
		release()
		if _, err := tab.Settle.WaitForFunction(tab.Ctx, powertest.Script, "!x.disabled"); err != nil {
			t.Error(err)
		}
	}})
	target := b.Ref("#x")
	b.JS("(go(), 1)")
	b.MustClick(target)
}
