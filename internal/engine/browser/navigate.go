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
	navigationTimeout = 30 * time.Second
	// followUpTimeout is how long to wait for the event of a same-document navigation,
	// and of the error page of a failed one, which follow the answer at once.
	followUpTimeout = time.Second
	// queryTimeout bounds the questions asked after a navigation.
	queryTimeout = 2 * time.Second
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
	// LoadTimeout is how long to wait for the load event of a document that is ready; 0 waits until the deadline and
	// fails. A picture that never comes is no reason not to use a page.
	LoadTimeout time.Duration
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
	// IsDownload: the address is a file that the browser does not show, and the tab
	// still shows the previous document.
	IsDownload bool
	// DownloadStarted is that download, if the browser has told of it.
	StartedDownload *Download
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
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error { return w.navigateTo(ctx, address) })
}

// Back goes one entry back in the tab's history; ErrNoHistory if there is none.
func (t *Tab) Back(ctx context.Context, opts NavigateOptions) (Navigation, error) {
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error { return w.traverseHistory(ctx, -1) })
}

// Forward goes one entry forward in the tab's history; ErrNoHistory if there is none.
func (t *Tab) Forward(ctx context.Context, opts NavigateOptions) (Navigation, error) {
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error { return w.traverseHistory(ctx, 1) })
}

// Reload loads the page again, past the caches if ignoreCache.
func (t *Tab) Reload(ctx context.Context, ignoreCache bool, opts NavigateOptions) (Navigation, error) {
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error {
		_, err := callWhenActive(ctx, t.cdp, cdppage.Reload, cdppage.ReloadParams{IgnoreCache: &ignoreCache})
		if err != nil {
			return w.translateError(err)
		}
		return w.waitForCommit(ctx, "")
	})
}

// navigation is one navigation in progress.
type navigation struct {
	tab     *Tab
	opts    NavigateOptions
	initial frameState // when it began
	url     string     // that was asked for, as far as known
	result  Navigation
	loader  cdp.LoaderID // of the document that was asked for; "" if unknown
	// downloads is how many there were when it began.
	downloads int
}

// navigate runs one navigation under the tab's lock and completes its result.
func (t *Tab) navigate(ctx context.Context, opts NavigateOptions, run func(context.Context, *navigation) error) (Navigation, error) {
	t.MarkAction()
	limit := opts.Timeout
	if _, ok := ctx.Deadline(); limit <= 0 && !ok {
		limit = navigationTimeout
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
		t.frame.committedLoaders = nil
		w.initial, w.url = t.frame, t.frame.url
		lost := t.lossReason != ""
		t.mu.Unlock()
		if !lost {
			t.stopStuckScript(ctx)
		}
		err := run(ctx, w)
		if errors.Is(caller.Err(), context.Canceled) {
			w.stopUncommitted()
		}
		return err
	})
	var dialog *DialogError
	if errors.As(err, &dialog) && w.initial.id != "" { // it began, so it was not refused
		w.result.Dialog, err = &dialog.Dialog, nil
	}
	if w.initial.id != "" {
		w.complete(ctx)
	}
	return w.result, err
}

// to starts a navigation to an address.
func (w *navigation) navigateTo(ctx context.Context, address string) error {
	w.url = address
	res, err := callWhenActive(ctx, w.tab.cdp, cdppage.Navigate, cdppage.NavigateParams{URL: address})
	if err != nil {
		return w.translateError(err)
	}
	w.loader = res.LoaderID
	status := 0
	if a := w.response(res.LoaderID); a != nil {
		status = a.status
	}
	switch {
	case res.IsDownload:
		w.result.IsDownload = true
		w.result.StartedDownload = w.tab.session.waitForDownloadStart(ctx, w.tab.id, w.downloads)
		return nil
	case res.ErrorText == "net::ERR_ABORTED" && (status == 204 || status == 205):
		w.result.NoContent = true
		return nil
	case res.ErrorText != "" && status < 400:
		if res.ErrorText != "net::ERR_ABORTED" {
			w.waitBriefly(ctx, func(f *frameState) bool { return slices.Contains(f.committedLoaders, res.LoaderID) && f.loaded })
		}
		return &NavigationError{ErrorText: res.ErrorText, URL: address}
	case res.LoaderID == "":
		w.result.SameDocument = true
		w.waitBriefly(ctx, func(f *frameState) bool { return f.sameDocumentNavs > w.initial.sameDocumentNavs })
		return nil
	}
	return w.waitForCommit(ctx, res.LoaderID)
}

// traverseHistory moves in the tab's history.
func (w *navigation) traverseHistory(ctx context.Context, step int64) error {
	history, err := callWhenActive(ctx, w.tab.cdp, cdppage.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return w.translateError(err)
	}
	i := history.CurrentIndex + step
	if i < 0 || i >= int64(len(history.Entries)) {
		return ErrNoHistory
	}
	w.url = history.Entries[i].URL
	_, err = callWhenActive(ctx, w.tab.cdp, cdppage.NavigateToHistoryEntry, cdppage.NavigateToHistoryEntryParams{EntryID: history.Entries[i].ID})
	if err != nil {
		return w.translateError(err)
	}
	return w.waitForCommit(ctx, "")
}

// callWhenActive repeats a command that arrives while a document moves to another process:
// for some milliseconds after its commit the browser has no active page to ask, says
// so, and announces the end of that by no event.
func callWhenActive[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) (R, error) {
	limit := time.After(followUpTimeout)
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

// translateError turns the error of a protocol call into the navigation's.
func (w *navigation) translateError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return w.timeoutError(err)
	}
	return err
}

// waitForCommit waits until the document of this loader ("" is any new one) is there
// and has come as far as was asked for, following the navigations that it starts
// itself before that.
func (w *navigation) waitForCommit(ctx context.Context, loader cdp.LoaderID) error {
	err := w.tab.waitFor(ctx, func() bool {
		f := &w.tab.frame
		if loader == "" && f.sameDocumentNavs > w.initial.sameDocumentNavs && f.commits == w.initial.commits {
			w.result.SameDocument = true
			return true
		}
		return w.hasCommitted(f, loader) && (w.reachedGoal(f) || w.opts.LoadTimeout > 0 && f.ready)
	})
	if err == nil && w.opts.LoadTimeout > 0 {
		patient, cancel := context.WithTimeout(ctx, w.opts.LoadTimeout)
		defer cancel()
		err = w.tab.waitFor(patient, func() bool { return w.result.SameDocument || w.reachedGoal(&w.tab.frame) })
		if errors.Is(err, context.DeadlineExceeded) {
			return nil // and it is told that the page is still loading
		}
	}
	if err != nil && errors.Is(err, context.DeadlineExceeded) {
		return w.timeoutError(err)
	}
	return err
}

func (w *navigation) hasCommitted(f *frameState, loader cdp.LoaderID) bool {
	if loader == "" {
		return len(f.committedLoaders) > 0
	}
	return slices.Contains(f.committedLoaders, loader)
}

func (w *navigation) reachedGoal(f *frameState) bool {
	switch w.opts.Until {
	case UntilCommit:
		return true
	case UntilReady:
		return f.ready
	}
	return f.loaded && f.pending == ""
}

// waitBriefly waits a moment for what follows an answer at once.
func (w *navigation) waitBriefly(ctx context.Context, cond func(*frameState) bool) {
	ctx, cancel := context.WithTimeout(ctx, followUpTimeout)
	defer cancel()
	_ = w.tab.waitFor(ctx, func() bool { return cond(&w.tab.frame) })
}

// stopUncommitted ends a navigation that nobody waits for any more and that has not committed: a
// document that replaces the page minutes later would surprise everybody, and the next
// navigation to its address would be taken for it and aborted.
func (w *navigation) stopUncommitted() {
	t := w.tab
	t.mu.Lock()
	committed := w.hasCommitted(&t.frame, w.loader)
	t.mu.Unlock()
	if committed {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	_ = call(ctx, t.cdp, cdppage.StopLoading, cdp.Empty{}) // the tab may be gone
}

// timeoutError describes a navigation that ran out of time; stop says what becomes of it.
func (w *navigation) timeoutError(err error) error {
	t := w.tab
	t.mu.Lock()
	f := t.frame
	committed := w.hasCommitted(&f, w.loader)
	t.mu.Unlock()
	if committed && f.loaded {
		return nil // and a page that went on to load another: what was asked for is there
	}
	w.stopUncommitted()
	return &TimeoutError{URL: w.url, Committed: committed, Ready: committed && f.ready, Err: err}
}

func (w *navigation) response(loader cdp.LoaderID) *documentResponse {
	t := w.tab
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.frame.responses[loader]; a != nil {
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
	var asked, shown *documentResponse
	if w.loader != "" {
		asked = f.responses[w.loader]
	}
	if len(f.committedLoaders) > 0 {
		shown = f.responses[f.loader]
	}
	t.mu.Unlock()
	r.URL = f.url
	if len(f.committedLoaders) > 0 {
		r.MIME, r.Ready, r.Loaded, r.Cached = f.mime, f.ready, f.loaded, f.restored
	}
	switch {
	case shown != nil:
		r.Status, r.MIME = shown.status, shown.mime
		if asked != nil && asked != shown { // it went on by script
			r.Redirects = append(append(r.Redirects, asked.redirects...), w.url)
		}
		r.Redirects = append(r.Redirects, shown.redirects...)
	case asked != nil && len(f.committedLoaders) == 0:
		r.Status, r.MIME, r.Redirects = asked.status, asked.mime, asked.redirects
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), queryTimeout)
	defer cancel()
	if res, err := cdp.Call(ctx, t.instance.conn, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: t.target}); err == nil {
		t.onTargetInfo(res.TargetInfo)
	}
	r.Title = t.Title()
}
