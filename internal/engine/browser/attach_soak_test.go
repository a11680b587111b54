package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
)

// restlessPage changes its document all the time.
const restlessPage = `<!doctype html><title>Restless</title><ul id=list></ul><script>
	setInterval(() => {
		for (let i = 0; i < 20; i++) list.append(Object.assign(document.createElement('li'), {textContent: Math.random()}));
		while (list.children.length > 200) list.firstChild.remove();
		list.setAttribute('data-x', Math.random());
	}, 1);
</script>`

// TestConcurrentAttaches attaches to restless pages, and detaches, from several goroutines at once. With
// CALLSHEET_SOAK set it makes 50,000 attaches, or as many as fit into twenty minutes. The race detector
// must be quiet.
func TestConcurrentAttaches(t *testing.T) {
	count, limit := int64(proctest.Tries(200)), time.Minute
	if os.Getenv("CALLSHEET_SOAK") != "" {
		count, limit = 50_000, 20*time.Minute
	}
	restless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, restlessPage)
	}))
	t.Cleanup(restless.Close)
	s := testSession(t, false)
	var tabs []*Tab
	for range 3 {
		tab, _, err := s.Open(deadline(t, time.Minute), powertest.Window, powertest.Navigation, restless.URL, NavigateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tabs = append(tabs, tab)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var attached, opened atomic.Int64
	start := time.Now()
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for n := 0; attached.Load()+opened.Load() < count && ctx.Err() == nil; n++ {
				if err := attachOnce(ctx, tabs[(worker+n)%len(tabs)]); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
				attached.Add(1)
				if n%100 != 99 {
					continue
				}
				tab, err := s.OpenBlank(ctx, powertest.Window)
				if err == nil {
					err = s.CloseTab(ctx, tab.ID())
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
				opened.Add(1)
			}
		})
	}
	all.Wait()
	t.Logf("%d attaches to targets and %d to new tabs in %s", attached.Load(), opened.Load(), time.Since(start).Round(time.Second))
	if ctx.Err() == nil && attached.Load()+opened.Load() < count {
		t.Errorf("made fewer than %d attaches", count)
	}
}

// attachOnce attaches to the page of a tab as the tab does, with the domains that send an event for each
// change of the document, and detaches.
func attachOnce(ctx context.Context, tab *Tab) error {
	session, err := tab.attachment.openSession(ctx, tab.target)
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	events := 0
	session.Listen(func(any) { events++ })
	if err := enableDomains(ctx, session); err != nil {
		return err
	}
	return errors.Join(
		protocol.Exec(ctx, session, dom.Enable, dom.EnableParams{}),
		protocol.Exec(ctx, session, dom.GetDocument, dom.GetDocumentParams{}),
		protocol.Exec(ctx, session, cdppage.GetFrameTree, cdp.Empty{}),
	)
}
