package page_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/page"
)

// An input is on its way already when the document goes: the next one, though drawn, does not get it.
func TestTheNextDocumentIsSparedWhatWasOnItsWay(t *testing.T) {
	for _, c := range []struct{ method, kind string }{{"Input.dispatchMouseEvent", "mousePressed"}, {"Input.insertText", ""}} {
		t.Run(c.method, func(t *testing.T) {
			b := open(t, map[string]any{
				"/": `<input id=i aria-label=I style="position:fixed;inset:0;width:100vw;height:100vh">`,
				"/next": `<title>next</title><input id=n autofocus style="position:fixed;inset:0;width:100vw;height:100vh">
<script>log=[]; begun=performance.now(); for (const t of ['pointerdown','mousedown','click','input']) document.addEventListener(t, e => log.push(performance.now()-begun), true)</script>`,
			})
			b.Page = page.New(hurried{b.session, c.method, c.kind, new(sync.Once), func() {
				if _, err := cdp.Call(b.ctx, b.session, cdppage.Navigate, cdppage.NavigateParams{URL: b.url + "/next"}); err != nil {
					t.Error(err)
				}
				time.Sleep(100 * time.Millisecond)
			}}, reach(b.ctx))
			t.Cleanup(b.Close)
			ref := b.ref("#i")
			var err error
			if c.kind != "" {
				_, err = b.Click(b.ctx, page.Target{Ref: ref}, page.ClickOptions{})
			} else {
				_, err = b.SetValue(b.ctx, ref, "words")
			}
			if got := b.js(`document.title + log.filter(t => t < 290)`); got != "next" {
				t.Errorf("the next document got input after ms %s (%v)", got, err)
			}
			if b.click(b.ref("#n")); b.js(`log.length`) == "0" {
				t.Error("the next document gets no input at all")
			}
		})
	}
}

// TestClickNeverMeetsTheNextDocument: pages go away by themselves at every moment around a click, and what lies at the
// same place in the next document is something else.
func TestClickNeverMeetsTheNextDocument(t *testing.T) {
	var mu sync.Mutex
	var hits []string
	document := func(n int, wait int) string {
		return fmt.Sprintf(`<!doctype html><title>%[1]d</title><style>button{position:fixed;inset:0}</style><button id=b>Document %[1]d</button>
<script>document.addEventListener('mousedown', e => navigator.sendBeacon('/hit?%[1]d-' + e.target.id), true);
document.addEventListener('click', e => navigator.sendBeacon('/hit?%[1]d-' + e.target.id), true);
const go = () => setTimeout(() => location.href = '/doc?n=%[2]d', %[3]d)</script>`, n, n+1, wait)
	}
	b := open(t, map[string]any{
		"/": document(0, 0),
		"/doc": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var n int
			_, _ = fmt.Sscan(r.URL.Query().Get("n"), &n)
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, document(n, n%25))
		}),
		"/hit": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			hits = append(hits, r.URL.RawQuery)
		}),
	})
	begun := time.Now()
	for i := range 75 {
		if time.Since(begun) > 12*time.Second {
			break // a busy machine; what was tried was right
		}
		ref := b.ref("#b")
		at := b.js("document.title")
		b.js("go()")
		_, err := b.Click(b.ctx, page.Target{Ref: ref}, page.ClickOptions{Count: 1 + i%3})
		for deadline := time.Now().Add(20 * time.Second); ; {
			// A question that the document goes away under is no answer.
			if now, err := b.eval(`document.readyState == 'complete' && document.title`); err == nil && now != at {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("document %s does not go away", at)
			}
		}
		mu.Lock()
		for _, h := range hits {
			if !strings.HasPrefix(h, at+"-") && !strings.HasPrefix(h, "done") {
				t.Errorf("try %d: the click was for document %s and hit %s (%v)", i, at, h, err)
			}
		}
		hits = nil
		mu.Unlock()
	}
}

// TestAFenceFalls: what keeps the rest of an input out of the next document does not keep a person out.
func TestAFenceFalls(t *testing.T) {
	b := open(t, map[string]any{
		"/": `<a href=/next style="position:fixed;inset:0" id=a>On</a>`,
		"/next": `<title>next</title><button id=b style="position:fixed;inset:0">Next</button>
<script>seen = ''; document.onclick = e => seen += e.target.id; document.onkeydown = e => seen += e.key</script>`,
	})
	if _, err := b.Click(b.ctx, page.Target{Ref: b.ref("#a")}, page.ClickOptions{Count: 2}); err != nil {
		t.Fatal(err)
	}
	if at := b.js("document.title"); at != "next" {
		t.Fatalf("the click led to %q", at)
	}
	for _, kind := range []input.DispatchMouseEventType{"mousePressed", "mouseReleased"} {
		if _, err := cdp.Call(b.ctx, b.session, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: 50, Y: 50, Button: input.MouseButtonLeft, ClickCount: 1,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := cdp.Call(b.ctx, b.session, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "rawKeyDown", Key: "F8"}); err != nil {
		t.Fatal(err)
	}
	if seen := b.js("seen"); seen != "bF8" {
		t.Errorf("a person's click and key arrived as %q", seen)
	}
}
