package viewtest_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestAPersonGoesElsewhereWhileATabIsChosen follows a link just before the live view hears of the
// first tab of its session, which it would show.
func TestAPersonGoesElsewhereWhileATabIsChosen(t *testing.T) {
	t.Parallel()
	s := tooltest.NewServer(t, app.Config{})
	home, _ := serveCounter(t)
	person, _ := s.OpenUI()
	open(person, "#/live/late", "document.querySelector('nav a[href=\"#/live\"][aria-current=page]')")
	// The page is busy while the tab opens, so that it hears of the tab between the click and the view.
	person.Call("javascript_tool", tooltest.Args{"code": "setTimeout(() => { for (const until = performance.now() + 1500; performance.now() < until;); location.hash = '#/jobs'; }); 0"})
	s.Connect("late", "", nil).Call("navigate", tooltest.Args{"url": home})
	person.WaitScript("document.querySelector('.view-jobs') || location.hash.startsWith('#/live/late/')")
	person.ExpectScript("location.hash", "#/jobs")
}
