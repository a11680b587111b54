package browser

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/browser/download"
	"github.com/callsheet/callsheet/internal/engine/protocol"
)

const (
	// navigationTimeout bounds a navigation whose context has no deadline.
	navigationTimeout = 30 * time.Second
	// followUpTimeout bounds the wait for events that follow a command's result at once, such as
	// that of a same-document navigation, and of the error page of a failed one.
	followUpTimeout = time.Second
	// queryTimeout bounds each query after a navigation.
	queryTimeout = 2 * time.Second
)

// Until is the point up to which a navigation is awaited.
type Until int

const (
	// UntilLoad waits for the load event: the document and its subresources.
	UntilLoad Until = iota
	// UntilReady waits for DOMContentLoaded: the document alone.
	UntilReady
	// UntilCommit waits for the first byte of the new document.
	UntilCommit
)

// NavigateOptions adjust Navigate, Back, Forward and Reload.
type NavigateOptions struct {
	Until   Until
	Timeout time.Duration // 0 means the context's deadline, or thirty seconds
	// LoadTimeout bounds the wait for the load event of a document that is ready, and passing it is
	// no error. 0 waits until the deadline and fails.
	LoadTimeout time.Duration
}

// Navigation is the outcome of a navigation.
type Navigation struct {
	URL       string // of the tab afterwards
	Title     string
	Status    int      // of the HTTP response; 0 for URLs without one
	MIME      string   // of the response or document
	Redirects []string // URLs that redirected, in order, by HTTP or by script
	Ready     bool     // DOMContentLoaded fired
	Loaded    bool     // the load event fired
	Cut       int64    // bytes after which the load of a document was stopped, or 0
	// SameDocument reports that only the fragment or the history state changed.
	SameDocument bool
	// IsDownload reports that the URL is a file that the browser does not show. The tab still shows
	// the previous document.
	IsDownload bool
	// StartedDownload is that download, or nil if the browser has not announced it.
	StartedDownload *download.Download
	// NoContent reports a response 204 or 205. The tab still shows the previous document.
	NoContent bool
	// Cached reports that the page came from the back/forward cache, without a request.
	Cached bool
	// Dialog is the dialog that blocked the page before it was loaded, or nil.
	Dialog *dialog.Dialog
	// Committed reports that a new document, or another entry of the same one, took the place of
	// the previous one.
	Committed bool
	// Dismissed are the dialogs of the previous document that were in the way.
	Dismissed dialog.Answered
}

// Navigate loads an address (see ResolveAddress) and waits for this navigation. A response of any
// status is a success. The errors are AddressError, NavigationError when there was no response,
// TimeoutError, and those of Do. A dialog during the load ends the wait and is reported in the
// Navigation.
func (t *Tab) Navigate(ctx context.Context, p power.Navigation, address string, opts NavigateOptions) (Navigation, error) {
	if err := p.Check(); err != nil {
		return Navigation{}, err
	}
	address, err := t.session.allowedAddress(ctx, address)
	if err != nil {
		return Navigation{}, err
	}
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error { return w.navigateTo(ctx, address) })
}

// Back goes back in the tab's history. It returns ErrNoHistory on the first entry.
func (t *Tab) Back(ctx context.Context, p power.Navigation, opts NavigateOptions) (Navigation, error) {
	if err := p.Check(); err != nil {
		return Navigation{}, err
	}
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error { return w.traverseHistory(ctx, -1) })
}

// Forward goes one entry forward in the tab's history. It returns ErrNoHistory on the last entry.
func (t *Tab) Forward(ctx context.Context, p power.Navigation, opts NavigateOptions) (Navigation, error) {
	if err := p.Check(); err != nil {
		return Navigation{}, err
	}
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error { return w.traverseHistory(ctx, 1) })
}

// Reload loads the page again, past the caches if ignoreCache.
func (t *Tab) Reload(ctx context.Context, p power.Navigation, ignoreCache bool, opts NavigateOptions) (Navigation, error) {
	if err := p.Check(); err != nil {
		return Navigation{}, err
	}
	return t.navigate(ctx, opts, func(ctx context.Context, w *navigation) error {
		_, err := protocol.CallWhenActive(ctx, t.cdp, cdppage.Reload, cdppage.ReloadParams{IgnoreCache: &ignoreCache})
		if err != nil {
			return w.translateError(err)
		}
		return w.waitForCommit(ctx, "")
	})
}

// navigation is one navigation in progress.
type navigation struct {
	tab       *Tab
	opts      NavigateOptions
	initial   frameState // frame state at the start
	url       string     // the requested URL, as far as known
	result    Navigation
	loader    cdp.LoaderID // of the requested document; "" if unknown
	downloads int          // of the session at the start
}

// navigate runs one navigation under the tab's lock and completes its result.
func (t *Tab) navigate(
	ctx context.Context, opts NavigateOptions, run func(context.Context, *navigation) error,
) (Navigation, error) {
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
	w := &navigation{tab: t, opts: opts, downloads: t.session.Downloads.Started()}
	caller := ctx
	policy := &dialogPolicy{}
	start := func(ctx context.Context) error {
		t.mu.Lock()
		t.Document.state.committedLoaders, t.Document.state.destination, t.Document.state.substitute = nil, "", ""
		w.initial, w.url = t.Document.state, t.Document.state.url
		lost := t.lossReason != ""
		t.mu.Unlock()
		if !lost {
			t.StopStuckScript(ctx)
		}
		err := run(ctx, w)
		if errors.Is(caller.Err(), context.Canceled) {
			w.stopUncommitted()
		}
		return err
	}
	err := t.do(ctx, policy, start)
	w.result.Dismissed = t.Dialogs.stopPolicy(policy)
	if err != nil && w.result.Dismissed.Crashed {
		_ = t.waitFor(ctx, func() bool { return t.lossReason != "" })
		w.stopUncommitted() // else the browser aborts the next one as a duplicate
		w.loader = ""
		err = t.do(ctx, &dialogPolicy{}, start)
	}
	var dialog *DialogError
	if errors.As(err, &dialog) && w.initial.id != "" { // the navigation began, so the dialog did not refuse it
		w.result.Dialog, err = &dialog.Dialog, nil
	}
	if w.initial.id != "" {
		w.complete(ctx)
	}
	return w.result, err
}

func (w *navigation) setURL(address string) {
	w.tab.mu.Lock()
	defer w.tab.mu.Unlock()
	w.url, w.tab.Document.state.destination = address, address
}

// navigateTo starts a navigation to a URL.
func (w *navigation) navigateTo(ctx context.Context, address string) error {
	w.setURL(address)
	res, err := protocol.CallWhenActive(ctx, w.tab.cdp, cdppage.Navigate, cdppage.NavigateParams{URL: address})
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
		w.result.StartedDownload = w.tab.session.Downloads.WaitForStart(ctx, w.tab.id, w.downloads)
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

// traverseHistory moves by step entries in the tab's history.
func (w *navigation) traverseHistory(ctx context.Context, step int64) error {
	history, err := protocol.CallWhenActive(ctx, w.tab.cdp, cdppage.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return w.translateError(err)
	}
	i := history.CurrentIndex + step
	if i < 0 || i >= int64(len(history.Entries)) {
		return ErrNoHistory
	}
	w.setURL(history.Entries[i].URL)
	_, err = protocol.CallWhenActive(ctx, w.tab.cdp, cdppage.NavigateToHistoryEntry,
		cdppage.NavigateToHistoryEntryParams{EntryID: history.Entries[i].ID})
	if err != nil {
		return w.translateError(err)
	}
	return w.waitForCommit(ctx, "")
}

// translateError turns the error of a protocol call into the navigation's.
func (w *navigation) translateError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return w.timeoutError(err)
	}
	return err
}

// waitForCommit waits until the document of this loader ("" is any new one) has committed and come
// as far as Until. It follows navigations that the document starts before that.
func (w *navigation) waitForCommit(ctx context.Context, loader cdp.LoaderID) error {
	err := w.tab.waitFor(ctx, func() bool {
		f := &w.tab.Document.state
		if loader == "" && f.sameDocumentNavs > w.initial.sameDocumentNavs && f.commits == w.initial.commits {
			w.result.SameDocument = true
			return true
		}
		return w.hasCommitted(f, loader) && (w.reachedGoal(f) || w.opts.LoadTimeout > 0 && f.ready)
	})
	if err == nil && w.opts.LoadTimeout > 0 {
		patient, cancel := context.WithTimeout(ctx, w.opts.LoadTimeout)
		defer cancel()
		err = w.tab.waitFor(patient, func() bool { return w.result.SameDocument || w.reachedGoal(&w.tab.Document.state) })
		if errors.Is(err, context.DeadlineExceeded) {
			return nil // the result reports that the page is still loading
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
	return slices.Contains(f.committedLoaders, loader) || f.substitute != "" && slices.Contains(f.committedLoaders, f.substitute)
}

func (w *navigation) reachedGoal(f *frameState) bool {
	switch w.opts.Until {
	case UntilCommit:
		return true
	case UntilReady:
		return f.ready || f.triedToLeave()
	}
	return f.loaded && f.pending == "" || f.triedToLeave()
}

// waitBriefly waits up to followUpTimeout for events that follow a result at once.
func (w *navigation) waitBriefly(ctx context.Context, cond func(*frameState) bool) {
	ctx, cancel := context.WithTimeout(ctx, followUpTimeout)
	defer cancel()
	_ = w.tab.waitFor(ctx, func() bool { return cond(&w.tab.Document.state) })
}

// stopUncommitted stops a navigation that was given up and has not committed. Otherwise its
// document could replace the page minutes later, and the browser would abort the next navigation to
// the same URL as a duplicate.
func (w *navigation) stopUncommitted() {
	t := w.tab
	t.mu.Lock()
	committed := w.hasCommitted(&t.Document.state, w.loader)
	t.mu.Unlock()
	if committed {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	_ = protocol.Exec(ctx, t.cdp, cdppage.StopLoading, cdp.Empty{}) // the tab may be closed
}

// timeoutError describes a navigation that ran out of time, after stopUncommitted.
func (w *navigation) timeoutError(err error) error {
	t := w.tab
	t.mu.Lock()
	f := t.Document.state
	committed := w.hasCommitted(&f, w.loader)
	t.mu.Unlock()
	if committed && f.loaded {
		return nil // the requested document loaded, and then started to load another
	}
	w.stopUncommitted()
	return &TimeoutError{URL: w.url, Committed: committed, Ready: committed && f.ready, Err: err}
}

func (w *navigation) response(loader cdp.LoaderID) *documentResponse {
	t := w.tab
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.Document.state.responses[loader]; a != nil {
		c := *a
		return &c
	}
	return nil
}

// complete fills in the state of the tab after the navigation. The title comes from the browser
// process, which answers even while a script or a dialog blocks the page.
func (w *navigation) complete(ctx context.Context) {
	t, r := w.tab, &w.result
	t.mu.Lock()
	f := t.Document.state
	var asked, shown *documentResponse
	if w.loader != "" {
		asked = f.responses[w.loader]
	}
	if len(f.committedLoaders) > 0 {
		shown = f.responses[f.loader]
	}
	t.mu.Unlock()
	r.URL, r.Committed = f.url, len(f.committedLoaders) > 0 || r.SameDocument
	if len(f.committedLoaders) > 0 {
		r.MIME, r.Ready, r.Loaded, r.Cached = f.mime, f.ready, f.loaded, f.restored
	}
	switch {
	case shown != nil:
		r.Status, r.MIME = shown.status, shown.mime
		if asked != nil && asked != shown { // the requested document navigated on by script
			r.Redirects = append(append(r.Redirects, asked.redirects...), w.url)
		}
		r.Redirects = append(r.Redirects, shown.redirects...)
	case asked != nil && len(f.committedLoaders) == 0:
		r.Status, r.MIME, r.Redirects = asked.status, asked.mime, asked.redirects
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), queryTimeout)
	defer cancel()
	if res, err := cdp.Call(ctx, t.instance.conn, target.GetTargetInfo,
		target.GetTargetInfoParams{TargetID: t.target}); err == nil {
		t.onTargetInfo(res.TargetInfo)
	}
	r.Title, r.Cut = t.Title(), t.page.Document.Tracker.CutAt()
}
