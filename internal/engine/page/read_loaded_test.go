package page_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// A reading waits for the first control of an application that fills its page late.
func TestReadLoadedWaitsForAControl(t *testing.T) {
	const fill = "app.innerHTML='<button>Filled</button>'"
	for name, script := range map[string]string{
		"timer":    "setTimeout(()=>{" + fill + "},1200)",
		"response": "fetch('/slow').then(r=>r.text()).then(()=>{" + fill + "})",
		"chain":    "setTimeout(()=>fetch('/slow').then(r=>r.text()).then(()=>setTimeout(()=>{" + fill + "},300)),300)",
		"module":   "import('/slow.js').then(()=>{" + fill + "})",
	} {
		b := pagetest.Open(t, map[string]any{
			"/":     "",
			"/app":  `<!doctype html><title>App</title><div id=app>Loading…</div><script>` + script + `</script>`,
			"/slow": pagetest.RespondAfter(time.Second, "x"),
			"/slow.js": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				<-time.After(time.Second)
				w.Header().Set("Content-Type", "text/javascript")
			}),
		})
		b.Outline() // requests are followed from here on
		b.Load("/app")
		r, err := b.ReadLoaded(b.Ctx, read.Options{})
		if err != nil || r.Loading || !strings.Contains(r.Text, `button "Filled"`) {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

// A page that goes on loading is read after a time, once, and a page of text at once.
func TestReadLoadedGivesUp(t *testing.T) {
	b := pagetest.Show(t, `<p>Please wait</p><style>p{animation:pulse 1s infinite}@keyframes pulse{to{opacity:.5}}</style>`)
	begun := time.Now()
	r, err := b.ReadLoaded(b.Ctx, read.Options{})
	first := time.Since(begun)
	if err != nil || !r.Loading || !strings.Contains(r.Text, "Please wait") {
		t.Errorf("%+v %v", r, err)
	}
	begun = time.Now()
	if r, err := b.ReadLoaded(b.Ctx, read.Options{}); err != nil || !r.Loading || time.Since(begun) > first/2 {
		t.Errorf("the second reading takes %v, the first %v: %+v %v", time.Since(begun), first, r, err)
	}
	b = pagetest.Show(t, `<p>Nothing else</p>`)
	begun = time.Now()
	if r, err := b.ReadLoaded(b.Ctx, read.Options{}); err != nil || r.Loading || time.Since(begun) > first/2 {
		t.Errorf("a page of text takes %v, one that loads %v: %+v %v", time.Since(begun), first, r, err)
	}
}
