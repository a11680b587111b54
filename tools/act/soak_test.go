package act_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestRandomActing sends random actions at pages that move, cover and replace what is aimed at,
// with dialogs, navigations and closed tabs in between. The page keeps the record that decides:
// every event arrived at the element that the ref named. The short form is a few sequences; make
// soak runs 500 of 30 actions.
func TestRandomActing(t *testing.T) {
	proctest.Nightly(t)
	sequences, length := 6, 12
	if os.Getenv(tooltest.SoakVariable) != "" {
		sequences, length = 500, 30
	}
	base := tooltest.ServeSite(t)
	warm := randomActor{Client: tooltest.Connect(t, toolkit.Options{}), rnd: rand.New(rand.NewPCG(1, 1)), base: base}
	warm.open()
	before := runtime.NumGoroutine()
	seed := uint64(1) // a failure of the short form is one that everybody sees
	if os.Getenv(tooltest.SoakVariable) != "" {
		seed = uint64(time.Now().UnixNano())
	}
	begun, acted := time.Now(), 0
	for i := range sequences {
		if os.Getenv(tooltest.SoakVariable) == "" && time.Since(begun) > 20*time.Second {
			break // a busy machine; what was walked was right
		}
		w := warm
		w.rnd = rand.New(rand.NewPCG(seed, uint64(i)))
		w.open()
		for range length {
			w.step()
		}
		acted += w.acted
		if i%25 == 24 {
			t.Logf("%d sequences, %d actions came through, %d goroutines, %v", i+1, acted, runtime.NumGoroutine(), time.Since(begun).Round(time.Second))
		}
		if t.Failed() {
			t.Fatalf("sequence %d of seed %d", i, seed)
		}
	}
	if acted == 0 {
		t.Error("no action came through")
	}
	t.Logf("%d actions came through", acted)
	waitForGoroutines(t, before)
}

// waitForGoroutines waits until no more goroutines run than before.
func waitForGoroutines(t *testing.T, before int) {
	t.Helper()
	const slack = 40 // of the last tab, whose page is still open
	tooltest.Eventually(t, fmt.Sprintf("at most %d goroutines more than the %d before", slack, before), func() bool {
		return runtime.NumGoroutine() <= before+slack
	})
}

// randomActor is one random walk.
type randomActor struct {
	tooltest.Client
	rnd     *rand.Rand
	base    string
	reading string
	acted   int
	last    []string     // the latest steps, for the report of a failure
	seen    map[hit]bool // the events that were judged already
}

// open gives the walk a tab of its own in place of those there were.
func (r *randomActor) open() {
	r.T.Helper()
	var tabs struct{ Tabs []struct{ TabID string } }
	res := r.Do("tabs_context", nil)
	text, _ := json.Marshal(res.StructuredContent)
	if err := json.Unmarshal(text, &tabs); err != nil {
		r.T.Fatal(err)
	}
	for _, tab := range tabs.Tabs {
		r.Do("tabs_close", tooltest.Args{"tabId": tab.TabID})
	}
	r.Call("tabs_create", tooltest.Args{"url": fmt.Sprintf("%s/hits.html?n=%d", r.base, r.rnd.IntN(1000))})
	r.read()
}

func (r *randomActor) read() {
	res := r.Do("read_page", tooltest.Args{"mode": "interactive"})
	if res.IsError {
		return // a dialog; the next step meets it too
	}
	r.reading = tooltest.Text(res)
}

var keyPattern = regexp.MustCompile(`"(K\d+)" \[(e\d+)\]`)

// step does something, and holds what came of it against the page's record.
func (r *randomActor) step() {
	r.T.Helper()
	found := keyPattern.FindAllStringSubmatch(r.reading, -1)
	if len(found) == 0 {
		r.open()
		return
	}
	one := found[r.rnd.IntN(len(found))]
	key, ref := one[1], one[2]
	begun := time.Now()
	tool, a := "interact", tooltest.Args{"ref": ref}
	switch r.rnd.IntN(14) {
	case 0:
		a["action"] = "hover"
	case 1:
		a["action"] = "double_click"
	case 2, 3:
		tool, a = "form_input", tooltest.Args{"ref": ref, "value": "v"}
	case 4:
		tool, a = "computer", tooltest.Args{"action": "scroll_to", "ref": ref}
	case 5:
		tool, a = "navigate", tooltest.Args{"url": fmt.Sprintf("%s/hits.html?n=%d", r.base, r.rnd.IntN(1000))}
	case 6:
		tool, a = "navigate", tooltest.Args{"url": "back"}
	case 7:
		r.open()
		return
	case 8:
		tool, a = "javascript_tool", tooltest.Args{"code": "setTimeout(() => location.href = '?n=7', 3); 1"} // races what comes next
	}
	res := r.Do(tool, a)
	r.log(fmt.Sprintf("%s %s %v: %.300s", key, tool, a, tooltest.Text(res)), begun)
	text := tooltest.Text(res)
	if strings.Contains(text, "INTERNAL") {
		r.T.Errorf("%s %v: %s", tool, a, text)
	}
	if strings.Contains(text, "DIALOG_OPEN") {
		r.open()
		return
	}
	if !res.IsError && (tool == "interact" || tool == "form_input") {
		r.acted++
	}
	r.check(tool, key, a, begun)
	if r.rnd.IntN(3) > 0 { // otherwise the next step works with old refs
		r.read()
	}
}

// log remembers a step.
func (r *randomActor) log(what string, begun time.Time) {
	r.last = append(r.last, fmt.Sprintf("%d+%d %s", begun.UnixMilli(), time.Since(begun).Milliseconds(), what))
	r.last = r.last[max(0, len(r.last)-6):]
}

// hit is an event that the page has seen. At is the time of the day in ms: a page that goes away
// can leave behind a record that was cleared.
type hit struct {
	What string
	At   float64
}

// check reads and clears the page's record. Whether the action was refused or not: nothing but its
// element was hit.
func (r *randomActor) check(tool, key string, a tooltest.Args, begun time.Time) {
	r.T.Helper()
	res := r.Do("javascript_tool", tooltest.Args{"code": "const l = sessionStorage.log ?? '[]'; delete sessionStorage.log; l"})
	if res.IsError {
		r.open() // a dialog or a navigation: the record belongs to this step alone
		return
	}
	record := res.Content[len(res.Content)-1].(*mcp.TextContent).Text // a notice of what happened meanwhile is before it
	var hits []hit
	if err := json.Unmarshal([]byte(record), &hits); err != nil {
		r.T.Fatalf("the record is %q", record)
	}
	if r.seen == nil {
		r.seen = map[hit]bool{}
	}
	for _, h := range hits {
		if !r.seen[h] && !strings.HasSuffix(h.What, " "+key) {
			r.T.Errorf("%s %v was for %s, and the page saw %v; %d is when it began; the latest steps:\n%s",
				tool, a, key, hits, begun.UnixMilli(), strings.Join(r.last, "\n"))
			return
		}
		r.seen[h] = true
	}
}
