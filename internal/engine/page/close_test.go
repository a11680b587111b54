package page_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

func TestCloseLeavesNoGoroutine(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{"/leaf": pagetest.LeafDocument})
	b := pagetest.Show(t, `<iframe title=F src="`+at("localhost", "/leaf")+`"></iframe>`)
	count := func() int {
		stacks := make([]byte, 1<<20)
		return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "created by github.com/callsheet/callsheet/internal/engine/page/track.(*Tracker).FollowFrame")
	}
	before := count()
	b.Outline()
	if count() <= before {
		t.Fatal("the page follows no events of the frame")
	}
	b.Close()
	b.Close()
	if got := count(); got != before {
		t.Errorf("%d goroutines follow events, %d before", got, before)
	}
}
