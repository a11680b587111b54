package emulation

import (
	"context"
	_ "embed"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/browser"
)

// clockScript gives a page a clock that can stand still. Virtual time of the browser cannot: each later frame would come
// late by the time that it stood still, and it cannot be switched off.
//
//go:embed clock.js
var clockScript string

// clockTimeout bounds the start and the stop of a clock in a page that does not answer, such as one with a dialog.
const clockTimeout = 500 * time.Millisecond

// clock is the clock of a page that goes while a call works on it.
type clock struct {
	mu      sync.Mutex
	session cdp.Session // of the page; nil while the clock is the browser's
	script  cdppage.ScriptIdentifier
	calls   int
}

// set changes between a clock of its own and the browser's.
func (c *clock) set(ctx context.Context, s cdp.Session, step bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if step == (c.session != nil) {
		return nil
	}
	if !step {
		c.session = nil
		return call(ctx, s, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: c.script})
	}
	added, err := cdp.Call(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: clockScript})
	if err != nil {
		return err
	}
	c.session, c.script = s, added.Identifier
	return call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: clockScript})
}

var _ browser.CallInstrument = (*Emulation)(nil)

// BeginCall has the clock go until end is called.
func (e *Emulation) BeginCall() (end func()) {
	e.clock.add(1)
	return func() { e.clock.add(-1) }
}

// add counts a call, and starts the clock with the first one or stops it with the last.
func (c *clock) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls += n; c.session == nil || c.calls != max(n, 0) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), clockTimeout)
	defer cancel()
	expression := fmt.Sprintf("window[Symbol.for('callsheet.clock')]?.(%t)", n > 0)
	_ = call(ctx, c.session, runtime.Evaluate, runtime.EvaluateParams{Expression: expression}) // a page that has closed needs none
}
