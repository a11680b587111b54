package person

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/children"
)

// The world and the binding of the listener. A binding with the name of a world exists in no other.
const (
	worldName   = "callsheetPerson"
	bindingName = "callsheetPerson"
	endListener = "globalThis.callsheetPersonEnd?.()\n//# sourceURL=callsheet:personEnd"
)

// setupTimeout bounds the commands that prepare a page.
const setupTimeout = 10 * time.Second

//go:generate go run ../../jsbundle/cmd/jsbundle js/main.js callsheetPersonRuns callsheet:callsheetPerson bundle.js

// listener is the script that runs in each frame: the modules in js with those of the engine that they
// import. It is for a world of its own, whose refs the engine of the same document does not know.
//
//go:embed bundle.js
var listener string

// tab is a recorded tab. Its fields belong to the recorder's loop.
type tab struct {
	tab     *browser.Tab
	session cdp.Session
	script  cdppage.ScriptIdentifier
	stops   []func()

	documents map[runtime.ExecutionContextID]bool // of the page's session, in which the listener runs

	url       string  // of the page after the events that were handled so far; the browser can be further
	entries   []int64 // ids of the history
	current   int     // index of the entry that is shown
	requested bool    // a script or link of the page began the navigation that is under way
	opening   bool    // the recorder began it
	dialog    cdppage.DialogType
}

// follow puts the listener into a tab, and into each frame and document that it will have.
func (r *Recorder) follow(ctx context.Context, t *browser.Tab) error {
	ctx, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	session, err := t.Protocol(ctx)
	if err != nil {
		return err
	}
	f := &tab{tab: t, session: session, documents: make(map[runtime.ExecutionContextID]bool)}
	f.readHistory(ctx)
	f.stops = append(f.stops, t.Listen(func(event any) { r.onEvent(f, event) }))
	f.url = t.URL()
	if err := f.prepare(ctx); err != nil {
		f.leave(ctx)
		return fmt.Errorf("listen in tab %s: %w", t.ID(), err)
	}
	stop, err := t.Children.Handle(ctx, &children.Handler{
		Attach: func(ctx context.Context, c *children.Session) {
			if c.Kind != "iframe" {
				return
			}
			if _, err := install(ctx, c); err != nil {
				r.cfg.Logger.Warn("listen in a frame", "url", c.URL, "error", err)
			}
		},
		Event: func(c *children.Session, event any) {
			if ev, ok := event.(*runtime.EventBindingCalled); ok && ev.Name == bindingName {
				r.add(func() { r.onMessage(f, fmt.Sprintf("%p/%d", c, ev.ExecutionContextID), ev.Payload) })
			}
		},
	})
	if err != nil {
		f.leave(ctx)
		return fmt.Errorf("listen in the frames of tab %s: %w", t.ID(), err)
	}
	f.stops = append(f.stops, stop)
	r.tabs[t.ID()], r.recorded[t.ID()] = f, true
	return nil
}

// prepare gives the page back to the person: its own size, file choosers with windows. Then it installs
// the listener.
func (t *tab) prepare(ctx context.Context) (err error) {
	if !t.tab.IsHeadless() {
		if _, err := cdp.Call(ctx, t.session, emulation.ClearDeviceMetricsOverride, cdp.Empty{}); err != nil {
			return err
		}
	}
	choosers := cdppage.SetInterceptFileChooserDialogParams{Enabled: false}
	if _, err := cdp.Call(ctx, t.session, cdppage.SetInterceptFileChooserDialog, choosers); err != nil {
		return err
	}
	t.script, err = install(ctx, t.session)
	return err
}

func install(ctx context.Context, s cdp.Session) (cdppage.ScriptIdentifier, error) {
	if _, err := cdp.Call(ctx, s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		return "", err
	}
	if _, err := cdp.Call(ctx, s, runtime.Enable, cdp.Empty{}); err != nil {
		return "", err
	}
	if _, err := cdp.Call(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: bindingName, ExecutionContextName: worldName}); err != nil {
		return "", err
	}
	yes := true
	res, err := cdp.Call(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: listener, WorldName: worldName, RunImmediately: &yes,
	})
	return res.Identifier, err
}

// flushTimeout bounds the wait for a page that does not answer.
const flushTimeout = 2 * time.Second

// flush waits until what the page sent so far has been read: the page answers after it.
func (t *tab) flush(ctx context.Context) {
	if t.tab.Dialogs.Open() != nil { // nothing runs in the page
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	_, _ = cdp.Call(ctx, t.session, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"}) // a page that has gone sends nothing
}

// leave takes the listener out of the tab. What fails is gone already.
func (t *tab) leave(ctx context.Context) {
	for _, stop := range t.stops {
		stop()
	}
	if t.tab.Closed() {
		return
	}
	if t.script != "" {
		_, _ = cdp.Call(ctx, t.session, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: t.script})
	}
	if t.tab.Dialogs.Open() != nil { // nothing runs in the page
		return
	}
	for id := range t.documents {
		_, _ = cdp.Call(ctx, t.session, runtime.Evaluate, runtime.EvaluateParams{Expression: endListener, ContextID: id})
	}
	_, _ = cdp.Call(ctx, t.session, runtime.RemoveBinding, runtime.RemoveBindingParams{Name: bindingName})
}

// onEvent runs where events are read.
func (r *Recorder) onEvent(f *tab, event any) {
	switch ev := event.(type) {
	case *runtime.EventBindingCalled:
		if ev.Name == bindingName {
			r.add(func() {
				f.documents[ev.ExecutionContextID] = true
				r.onMessage(f, fmt.Sprintf("%s/%d", f.tab.ID(), ev.ExecutionContextID), ev.Payload)
			})
		}
	case *runtime.EventExecutionContextsCleared:
		r.add(func() { clear(f.documents) })
	case *cdppage.EventFrameRequestedNavigation:
		if f.tab.Document.IsMainFrame(ev.FrameID) {
			r.add(func() { f.requested = true })
		}
	case *cdppage.EventFrameNavigated:
		if ev.Frame.ParentID == "" {
			r.add(func() { r.onNavigated(f, ev.Frame.URL+ev.Frame.URLFragment, true) })
		}
	case *cdppage.EventNavigatedWithinDocument:
		if f.tab.Document.IsMainFrame(ev.FrameID) {
			r.add(func() { r.onNavigated(f, ev.URL, false) })
		}
	case *cdppage.EventJavascriptDialogOpening:
		r.add(func() { f.dialog = ev.Type })
	case *cdppage.EventJavascriptDialogClosed:
		r.add(func() { r.onDialogClosed(f, ev) })
	}
}

// onMessage handles a message of the listener in a document.
func (r *Recorder) onMessage(f *tab, document, payload string) {
	var e event
	if json.Unmarshal([]byte(payload), &e) != nil {
		return
	}
	at := place{tab: f.tab.ID(), url: f.url, document: document}
	switch e.Kind {
	case kindStop:
		r.cancel()
	case kindAssert:
		r.assert(f, at, &e)
	case kindNavigate:
		r.onNavigation(f, at, &e)
	default:
		r.script.handle(at, &e)
	}
}
