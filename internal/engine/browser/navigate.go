package browser

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

const (
	// navigationTimeout bounds a navigation whose context has no deadline.
	navigationLimit = 30 * time.Second
	// moveGrace is how long to wait for the event of a same-document navigation,
	// and of the error page of a failed one, which follow the answer at once.
	moveGrace = time.Second
	// factLimit bounds the questions asked after a navigation.
	factLimit = 2 * time.Second
)

// Until says how far a navigation is awaited.
type Until int

const (
	// UntilLoad waits for the load event: the document and what it refers to.
	UntilLoad Until = iota
	// UntilReady waits for DOMContentLoaded: the document alone.
	UntilReady
	// UntilCommit waits for the first byte of the new document.
	UntilCommit
)

// NavigateOptions adjust Navigate, Back, Forward and Reload.
type NavigateOptions struct {
	Until   Until
	Timeout time.Duration // 0 is the context's deadline, or thirty seconds
	// Patience is how long to wait for the load event of a document that is ready; 0 waits until the deadline and
	// fails. A picture that never comes is no reason not to use a page.
	Patience time.Duration
}

// Navigation is what came of a navigation.
type Navigation struct {
	URL       string // where the tab is now
	Title     string
	Status    int      // of the HTTP response; 0 for addresses without one
	MIME      string   // of the response or document
	Redirects []string // addresses that redirected, in order, by HTTP or by script
	Ready     bool     // DOMContentLoaded was seen
	Loaded    bool     // the load event was seen
	// SameDocument: only the fragment or history state changed.
	SameDocument bool
	// Download: the address is a file that the browser does not show, and the tab
	// still shows the previous document.
	Download bool
	// Started is that download, if the browser has told of it.
	Started *Download
	// NoContent: the server answered 204 or 205, and the tab still shows the
	// previous document.
	NoContent bool
	// Cached: the page was kept as it was left, and nothing was asked of the server.
	Cached bool
	// Dialog is the dialog that stopped the page before it was loaded, or nil.
	Dialog *Dialog
}

// Navigate loads an address (see ResolveAddress) and waits for this very navigation.
// A response of any status is a navigation, not an error. The errors are
// AddressError, NavigationError when there was no response, TimeoutError, and those of
// Do. A dialog during the load ends the wait and is reported in the Navigation.
func (t *Tab) Navigate(ctx context.Context, address string, opts NavigateOptions) (Navigation, error) {
	address, err := ResolveAddress(address, t.session.browser.cfg.AllowFile)
	if err != nil {
		return Navigation{}, err
	}
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error { return w.to(ctx, address) })
}

// Back goes one entry back in the tab's history; ErrNoHistory if there is none.
func (t *Tab) Back(ctx context.Context, opts NavigateOptions) (Navigation, error) {
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error { return w.through(ctx, -1) })
}

// Forward goes one entry forward in the tab's history; ErrNoHistory if there is none.
func (t *Tab) Forward(ctx context.Context, opts NavigateOptions) (Navigation, error) {
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error { return w.through(ctx, 1) })
}

// Reload loads the page again, past the caches if ignoreCache.
func (t *Tab) Reload(ctx context.Context, ignoreCache bool, opts NavigateOptions) (Navigation, error) {
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error {
		_, err := whenActive(ctx, t.cdp, cdppage.Reload, cdppage.ReloadParams{IgnoreCache: &ignoreCache})
		if err != nil {
			return w.failed(err)
		}
		return w.waitCommitted(ctx, "")
	})
}

// navigation is one navigation in progress.
type navigation struct {
	tab    *Tab
	opts   NavigateOptions
	from   frameState // when it began
	url    string     // that was asked for, as far as known
	result Navigation
	loader cdp.LoaderID // of the document that was asked for; "" if unknown
	// downloads is how many there were when it began.
	downloads int
}

// navigate runs one navigation under the tab's lock and completes its result.
func (t *Tab) navigate(ctx context.Context, opts NavigateOptions, run func(context.Context, *navigation) error) (Navigation, error) {
	t.Act()
	limit := opts.Timeout
	if _, ok := ctx.Deadline(); limit <= 0 && !ok {
		limit = navigationLimit
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	w := &navigation{tab: t, opts: opts, downloads: t.session.countDownloads()}
	caller := ctx
	err := t.do(ctx, true, func(ctx context.Context) error {
		t.mu.Lock()
		t.frame.committed = nil
		w.from, w.url = t.frame, t.frame.url
		lost := t.lost != ""
		t.mu.Unlock()
		if !lost {
			t.unstick(ctx)
		}
		err := run(ctx, w)
		if errors.Is(caller.Err(), context.Canceled) {
			w.stop()
		}
		return err
	})
	var dialog *DialogError
	if errors.As(err, &dialog) && w.from.id != "" { // it began, so it was not refused
		w.result.Dialog, err = &dialog.Dialog, nil
	}
	if w.from.id != "" {
		w.complete(ctx)
	}
	return w.result, err
}

// to starts a navigation to an address.
func (w *navigation) to(ctx context.Context, address string) error {
	w.url = address
	res, err := whenActive(ctx, w.tab.cdp, cdppage.Navigate, cdppage.NavigateParams{URL: address})
	if err != nil {
		return w.failed(err)
	}
	w.loader = res.LoaderID
	status := 0
	if a := w.answer(res.LoaderID); a != nil {
		status = a.status
	}
	switch {
	case res.IsDownload:
		w.result.Download = true
		w.result.Started = w.tab.session.nextDownload(ctx, w.tab.id, w.downloads)
		return nil
	case res.ErrorText == "net::ERR_ABORTED" && (status == 204 || status == 205):
		w.result.NoContent = true
		return nil
	case res.ErrorText != "" && status < 400:
		if res.ErrorText != "net::ERR_ABORTED" {
			w.waitMoved(ctx, func(f *frameState) bool { return slices.Contains(f.committed, res.LoaderID) && f.loaded })
		}
		return &NavigationError{Code: res.ErrorText, URL: address}
	case res.LoaderID == "":
		w.result.SameDocument = true
		w.waitMoved(ctx, func(f *frameState) bool { return f.moves > w.from.moves })
		return nil
	}
	return w.waitCommitted(ctx, res.LoaderID)
}

// through moves in the tab's history.
func (w *navigation) through(ctx context.Context, step int64) error {
	history, err := whenActive(ctx, w.tab.cdp, cdppage.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return w.failed(err)
	}
	i := history.CurrentIndex + step
	if i < 0 || i >= int64(len(history.Entries)) {
		return ErrNoHistory
	}
	w.url = history.Entries[i].URL
	_, err = whenActive(ctx, w.tab.cdp, cdppage.NavigateToHistoryEntry, cdppage.NavigateToHistoryEntryParams{EntryID: history.Entries[i].ID})
	if err != nil {
		return w.failed(err)
	}
	return w.waitCommitted(ctx, "")
}

// whenActive repeats a command that arrives while a document moves to another process:
// for some milliseconds after its commit the browser has no active page to ask, says
// so, and announces the end of that by no event.
func whenActive[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) (R, error) {
	limit := time.After(moveGrace)
	for {
		res, err := cdp.Call(ctx, s, c, params)
		var refused *cdproto.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, "Not attached to an active page") {
			return res, err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-limit:
			return res, err
		case <-ctx.Done():
			return res, context.Cause(ctx)
		}
	}
}

// failed turns the error of a protocol call into the navigation's.
func (w *navigation) failed(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return w.timeout(err)
	}
	return err
}

// waitCommitted waits until the document of this loader ("" is any new one) is there
// and has come as far as was asked for, following the navigations that it starts
// itself before that.
func (w *navigation) waitCommitted(ctx context.Context, loader cdp.LoaderID) error {
	err := w.tab.await(ctx, func() bool {
		f := &w.tab.frame
		if loader == "" && f.moves > w.from.moves && f.commits == w.from.commits {
			w.result.SameDocument = true
			return true
		}
		return w.committed(f, loader) && (w.far(f) || w.opts.Patience > 0 && f.ready)
	})
	if err == nil && w.opts.Patience > 0 {
		patient, cancel := context.WithTimeout(ctx, w.opts.Patience)
		defer cancel()
		err = w.tab.await(patient, func() bool { return w.result.SameDocument || w.far(&w.tab.frame) })
		if errors.Is(err, context.DeadlineExceeded) {
			return nil // and it is told that the page is still loading
		}
	}
	if err != nil && errors.Is(err, context.DeadlineExceeded) {
		return w.timeout(err)
	}
	return err
}

func (w *navigation) committed(f *frameState, loader cdp.LoaderID) bool {
	if loader == "" {
		return len(f.committed) > 0
	}
	return slices.Contains(f.committed, loader)
}

func (w *navigation) far(f *frameState) bool {
	switch w.opts.Until {
	case UntilCommit:
		return true
	case UntilReady:
		return f.ready
	}
	return f.loaded && f.pending == ""
}

// waitMoved waits a moment for what follows an answer at once.
func (w *navigation) waitMoved(ctx context.Context, cond func(*frameState) bool) {
	ctx, cancel := context.WithTimeout(ctx, moveGrace)
	defer cancel()
	_ = w.tab.await(ctx, func() bool { return cond(&w.tab.frame) })
}

// stop ends a navigation that nobody waits for any more and that has not committed: a
// document that replaces the page minutes later would surprise everybody, and the next
// navigation to its address would be taken for it and aborted.
func (w *navigation) stop() {
	t := w.tab
	t.mu.Lock()
	committed := w.committed(&t.frame, w.loader)
	t.mu.Unlock()
	if committed {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), factLimit)
	defer cancel()
	_ = call(ctx, t.cdp, cdppage.StopLoading, cdp.Empty{}) // the tab may be gone
}

// timeout describes a navigation that ran out of time; stop says what becomes of it.
func (w *navigation) timeout(err error) error {
	t := w.tab
	t.mu.Lock()
	f := t.frame
	committed := w.committed(&f, w.loader)
	t.mu.Unlock()
	if committed && f.loaded {
		return nil // and a page that went on to load another: what was asked for is there
	}
	w.stop()
	return &TimeoutError{URL: w.url, Committed: committed, Ready: committed && f.ready, Err: err}
}

func (w *navigation) answer(loader cdp.LoaderID) *answer {
	t := w.tab
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.frame.answers[loader]; a != nil {
		c := *a
		return &c
	}
	return nil
}

// complete fills in what is known about where the tab is now. The title comes from the
// browser process, which answers even while a script or a dialog blocks the page.
func (w *navigation) complete(ctx context.Context) {
	t, r := w.tab, &w.result
	t.mu.Lock()
	f := t.frame
	var asked, shown *answer
	if w.loader != "" {
		asked = f.answers[w.loader]
	}
	if len(f.committed) > 0 {
		shown = f.answers[f.loader]
	}
	t.mu.Unlock()
	r.URL = f.url
	if len(f.committed) > 0 {
		r.MIME, r.Ready, r.Loaded, r.Cached = f.mime, f.ready, f.loaded, f.restored
	}
	switch {
	case shown != nil:
		r.Status, r.MIME = shown.status, shown.mime
		if asked != nil && asked != shown { // it went on by script
			r.Redirects = append(append(r.Redirects, asked.redirects...), w.url)
		}
		r.Redirects = append(r.Redirects, shown.redirects...)
	case asked != nil && len(f.committed) == 0:
		r.Status, r.MIME, r.Redirects = asked.status, asked.mime, asked.redirects
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), factLimit)
	defer cancel()
	if res, err := cdp.Call(ctx, t.engine.conn, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: t.target}); err == nil {
		t.onInfo(res.TargetInfo)
	}
	r.Title = t.Title()
}
