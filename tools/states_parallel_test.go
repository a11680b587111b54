package tools_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// TestTabsDoNotWaitForEachOther is about locks: two seconds in one tab are not four in two. The pages sleep and do not
// compute, so that a busy machine has nothing to say in it.
func TestTabsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	tabs := []string{tabOf(c.call("navigate", args{"url": home + "/"})), tabOf(c.call("tabs_create", args{"url": home + "/"}))}
	begun := time.Now()
	var wg sync.WaitGroup
	for _, tab := range tabs {
		wg.Go(func() {
			c.call("javascript_tool", args{"tabId": tab, "code": "new Promise((done) => setTimeout(done, 2000))"})
		})
	}
	wg.Wait()
	took := time.Since(begun)
	t.Logf("two evaluations of 2 s in two tabs took %v", took.Round(time.Millisecond))
	if took > 3500*time.Millisecond {
		t.Errorf("two evaluations of 2 s in two tabs took %v", took)
	}
	begun = time.Now()
	for range 2 {
		wg.Go(func() {
			c.call("javascript_tool", args{"tabId": tabs[0], "code": "new Promise((done) => setTimeout(done, 300))"})
		})
	}
	wg.Wait()
	if took := time.Since(begun); took < 590*time.Millisecond {
		t.Errorf("two calls worked on one tab at once: %v", took)
	}
}

// TestManyTabsAtOnce compares what a call costs in one tab with what it costs in each of twenty that work at the same
// time. The calls wait in the page for as long as pages usually make one wait, so that cores are not what is measured.
func TestManyTabsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	home, other := stateSite(t)
	const tabs, calls, pause = 20, 5, 100
	code := fmt.Sprintf("new Promise((done) => setTimeout(() => done(document.title), %d))", pause)
	sessionsOf := []client{connect(t, toolkit.Options{})}
	c := sessionsOf[0]
	var ids []string
	for i := range tabs {
		ids = append(ids, tabOf(c.call("tabs_create", args{"url": []string{home, other}[i%2] + "/"})))
	}
	measure := func(id string) time.Duration {
		var all []time.Duration
		for range calls {
			begun := time.Now()
			c.call("javascript_tool", args{"tabId": id, "code": code})
			all = append(all, time.Since(begun))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	alone := measure(ids[0])
	together := make([]time.Duration, tabs)
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() { together[i] = measure(id) })
	}
	wg.Wait()
	slices.Sort(together)
	median, worst := together[tabs/2], together[tabs-1]
	t.Logf("a call takes %v in one tab, and in each of %d at once %v (worst tab %v)", alone, tabs, median, worst)
	if median > 4*alone {
		t.Errorf("a call takes %v in one tab and %v in each of %d", alone, median, tabs)
	}
}

func TestForeignTabsDoNotExist(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	var tab string
	t.Run("one", func(t *testing.T) {
		mine := connect(t, toolkit.Options{})
		tab = tabOf(mine.call("navigate", args{"url": home + "/dialogs"}))
		mine.call("interact", args{"query": "Delete"})
		t.Run("another", func(t *testing.T) {
			yours := connect(t, toolkit.Options{})
			for _, tool := range []string{"read_page", "page_screenshot", "page_reload", "tabs_close", "page_pdf"} {
				yours.refused("NO_TAB", tool, args{"tabId": tab}, tab)
			}
			yours.refused("TOOL_NOT_VISIBLE", "dialog", args{"accept": true, "tabId": tab})
			yours.says("tabs_context", nil, `"tabCount":0`)
		})
		mine.call("dialog", args{"accept": true})
	})
}
