package settle_test

import (
	"slices"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// A click reports what the timers and promises bring that its handlers started.
func TestClickFollowsTimersAndPromises(t *testing.T) {
	b := pagetest.Open(t, map[string]any{
		"/": `<!doctype html><title>One</title><p id=out></p>
<button id=timer onclick="setTimeout(()=>out.textContent='Timed',100)">Timer</button>
<button id=chain onclick="setTimeout(()=>setTimeout(()=>out.textContent='Chained',60),60)">Chain</button>
<button id=both onclick="out.textContent='Saving';setTimeout(()=>out.textContent='Saved',120)">Both</button>
<button id=fetch onclick="setTimeout(async()=>out.textContent=await(await fetch('/text')).text(),60)">Fetch</button>`,
		"/text": pagetest.RespondAfter(30*time.Millisecond, "Fetched"),
	})
	for css, want := range map[string]string{"#timer": "+ Timed", "#chain": "+ Chained", "#both": "+ Saved", "#fetch": "+ Fetched"} {
		b.JS(`out.textContent=''`)
		if e := b.MustClick(b.Ref(css)); !slices.Contains(e.Changes, want) {
			t.Errorf("%s: %+v", css, e)
		}
	}
}

func TestClickFollowsLateNavigation(t *testing.T) {
	b := pagetest.Open(t, map[string]any{"/": "", "/two": `<title>Two</title>`, "/text": pagetest.RespondAfter(20*time.Millisecond, "text")})
	for name, code := range map[string]string{
		"microtasks": `(async () => { for (let i = 0; i < 50; i++) await null; location = '/two' })()`,
		"message":    `const c = new MessageChannel; c.port1.onmessage = async () => { await null; location = '/two' }; c.port2.postMessage(0)`,
		"timer":      `setTimeout(() => location.href = '/two', 100)`,
		"fetch":      `fetch('/text').then(r => r.text()).then(() => Promise.resolve()).then(() => { location.assign('/two') })`,
		"form":       `setTimeout(() => document.forms[0].requestSubmit(), 60)`,
		"subtle":     `crypto.subtle.digest('SHA-256', new Uint8Array(1e5)).then(() => location = '/two')`,
		"push":       `setTimeout(() => { history.pushState(null, '', '/two'); document.title = 'Two' }, 60)`,
	} {
		b.Body(`<title>One</title><form action=/two></form><button>Go</button><script>document.querySelector('button').onclick = () => { ` + code + ` }</script>`)
		if e := b.MustClick(b.Ref("button")); !e.Navigated || e.Title != "Two" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
