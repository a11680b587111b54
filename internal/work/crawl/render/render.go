// Package render loads pages in tabs for crawls, and returns their HTML once they are stable.
//
// Each page has a browser context of its own, without cookies. The package must not know which
// pages need a browser, nor what the crawl does with the HTML.
package render

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/browser/pool"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/work/crawl"
)

const (
	// pageTimeout bounds a page, loadTimeout the wait from its document to its load event,
	// idleTimeout the wait for network idle, closeTimeout the closing of its tab.
	pageTimeout, loadTimeout, idleTimeout, closeTimeout = 45 * time.Second, 8 * time.Second, 5 * time.Second, 5 * time.Second
	// owner is the session that owns the tabs of crawls. No client has an id like this.
	owner = "\x00crawl"
)

// Renderer renders in the browsers of a pool.
type Renderer struct {
	pool   *pool.Pool
	powers Powers
}

// Powers are the powers of a crawl beyond those of any call, because it outlives the call that began
// it.
type Powers struct {
	Window     power.Window
	Navigation power.Navigation
	Script     power.Script
}

var _ crawl.Renderer = (*Renderer)(nil)

// New returns a Renderer.
func New(p *pool.Pool, powers Powers) *Renderer { return &Renderer{pool: p, powers: powers} }

// Render loads a page and returns its HTML, up to limit characters.
func (r *Renderer) Render(ctx context.Context, address string, limit int) (out crawl.Rendered, err error) {
	turn, err := r.pool.Acquire(ctx)
	if err != nil {
		return crawl.Rendered{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	name := rand.Text()
	defer func() {
		ending, done := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer done()
		turn.Browser.EndWorker(ending, owner, name)
		turn.Release(browserFailure(err))
	}()
	return r.loadPage(ctx, turn.Browser.WorkerSession(owner, name), address, limit)
}

// browserFailure returns the error if the browser failed, and nil if the page did.
func browserFailure(err error) error {
	var launch *browser.LaunchError
	var gone *browser.BrowserGoneError
	if errors.As(err, &launch) || errors.As(err, &gone) {
		return err
	}
	return nil
}

// readWhenStable is the script that waits for 300 ms without mutations, at most 3 s, and returns
// the HTML.
const readWhenStable = `await new Promise(done => {
  let still = setTimeout(done, 300)
  setTimeout(done, 3000)
  new MutationObserver(() => { clearTimeout(still); still = setTimeout(done, 300) })
    .observe(document, {subtree: true, childList: true, characterData: true})
})
const markup = document.documentElement ? document.documentElement.outerHTML : ''
;({markup: markup.slice(0, %d), cut: markup.length > %d, address: location.href})`

func (r *Renderer) loadPage(ctx context.Context, s *browser.Session, address string, limit int) (crawl.Rendered, error) {
	tab, nav, err := s.Open(ctx, r.powers.Window, r.powers.Navigation, address, browser.NavigateOptions{LoadTimeout: loadTimeout})
	if err != nil {
		return crawl.Rendered{}, err
	}
	switch {
	case nav.IsDownload || nav.NoContent:
		return crawl.Rendered{}, fault.New(codes.Failed, "the browser was given a file instead of a page")
	case nav.Status >= 400: // although the crawl has just fetched the page
		return crawl.Rendered{}, fault.New(codes.Failed, fmt.Sprintf("the browser was answered with status %d", nav.Status))
	}
	for range 5 { // a page may open dialogs when it loads
		if tab.Dialogs.Open() == nil {
			break
		}
		if err := tab.Dialogs.Handle(ctx, false, ""); err != nil {
			return crawl.Rendered{}, err
		}
	}
	resting, cancel := context.WithTimeout(ctx, idleTimeout)
	err = tab.Do(resting, func(ctx context.Context, p *page.Page) error {
		_, err := p.Settle.WaitFor(ctx, settle.WaitOptions{Idle: true})
		return err
	})
	cancel()
	if err = browserFailure(err); err != nil { // a page that is never idle is read as it is
		return crawl.Rendered{}, err
	}
	value, err := evaluate.Run(ctx, tab, r.powers.Script, fmt.Sprintf(readWhenStable, limit, limit))
	if err != nil {
		return crawl.Rendered{}, fmt.Errorf("read the page: %w", err)
	}
	var got struct {
		Markup  string `json:"markup"`
		Cut     bool   `json:"cut"`
		Address string `json:"address"`
	}
	if err := json.Unmarshal(value.JSON, &got); err != nil {
		return crawl.Rendered{}, fmt.Errorf("read the page: %w", err)
	}
	return crawl.Rendered{HTML: got.Markup, URL: got.Address, Truncated: got.Cut || value.Truncated}, nil
}
