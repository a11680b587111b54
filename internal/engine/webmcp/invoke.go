package webmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	protocol "github.com/chromedp/cdproto/webmcp"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
)

// cancelTimeout bounds the cancellation of a call in the page.
const cancelTimeout = 2 * time.Second

// Result is the result of a call of a tool: its output, or the document that replaced the tool's.
type Result struct {
	// Output is the JSON that the tool returned; nil if the document was replaced before it answered.
	Output json.RawMessage
	// Document is the URL of the document that replaced the tool's before it answered, such as the one
	// that a form leads to; "" otherwise.
	Document string
}

// call is one call under way.
type call struct {
	frame cdp.FrameID
	id    string // of the protocol; "" until the browser has given it
	done  chan outcome
}

// outcome is how a call has ended; exactly one field is set.
type outcome struct {
	response *protocol.EventToolResponded
	document string // another document replaced the tool's
	gone     bool   // the document has gone
	dialog   bool   // a dialog stops the page
}

// Invoke calls a tool with arguments, a JSON object, and waits for its response. When ctx ends, the call is
// cancelled in the page, which gets toolcancel or an aborted signal. A form without autosubmit responds when
// somebody submits it: other calls can work on the tab meanwhile.
//
// The errors are GoneError, FailedError, browser.DialogError, those of browser.Tab.Do, and the cause of ctx.
func (c *Client) Invoke(ctx context.Context, p power.Webmcp, t Tool, args json.RawMessage) (Result, error) {
	if err := p.Check(); err != nil {
		return Result{}, err
	}
	session, running, err := c.begin(t)
	if err != nil {
		return Result{}, err
	}
	defer c.end(running)
	err = c.tab.Do(ctx, func(ctx context.Context, _ *page.Page) error { return c.send(ctx, session, running, t, args) })
	var refused *cdproto.Error
	switch {
	case errors.As(err, &refused):
		return Result{}, gone(t.Name, refused.Message)
	case err != nil:
		return Result{}, err
	}
	select {
	case out := <-running.done:
		return c.result(ctx, t, out)
	case <-ctx.Done():
		c.cancel(session, running.id)
		return Result{}, fmt.Errorf("wait for the tool of the page: %w", context.Cause(ctx))
	}
}

// send starts a call in the page. When ctx ends before the browser has given the call an id, the call is
// cancelled as soon as it has one.
func (c *Client) send(ctx context.Context, session cdp.Session, o *call, t Tool, args json.RawMessage) error {
	type reply struct {
		id  string
		err error
	}
	sent := make(chan reply, 1)
	go func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
		defer done()
		res, err := cdp.Call(ctx, session, protocol.InvokeTool,
			protocol.InvokeToolParams{FrameID: t.Frame, ToolName: t.Name, Input: jsonv2.Value(args)})
		sent <- reply{res.InvocationID, err}
	}()
	select {
	case r := <-sent:
		if r.err == nil {
			c.identify(o, r.id)
		}
		return r.err
	case <-ctx.Done():
		go func() {
			if r := <-sent; r.err == nil {
				c.cancel(session, r.id)
			}
		}()
		return fmt.Errorf("start the tool of the page: %w", context.Cause(ctx))
	}
}

// begin registers a call of a tool that is still offered as it was.
func (c *Client) begin(t Tool) (cdp.Session, *call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, ok := c.tools[toolKey{t.Frame, t.Name}]
	registered := now.Registration == t.Registration // then the texts may be those that a person has allowed
	if !ok || now.Origin != t.Origin || !registered && (now.Description != t.Description || string(now.InputSchema) != string(t.InputSchema)) {
		return nil, nil, gone(t.Name, "the page does not offer it any more")
	}
	running := &call{frame: t.Frame, done: make(chan outcome, 1)}
	c.calls[running] = true
	return c.frames[t.Frame].session, running, nil
}

func (c *Client) end(o *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, o)
	if len(c.calls) == 0 {
		clear(c.early)
	}
}

// identify notes the id of a call, whose response may have come already.
func (c *Client) identify(o *call, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o.id = id
	if ev := c.early[id]; ev != nil {
		delete(c.early, id)
		o.finish(outcome{response: ev})
	}
}

// onResponse ends the call of a response.
func (c *Client) onResponse(ev *protocol.EventToolResponded) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for o := range c.calls {
		if o.id == ev.InvocationID {
			o.finish(outcome{response: ev})
			return
		}
	}
	if len(c.calls) > 0 && len(c.early) < maxEarly {
		c.early[ev.InvocationID] = ev
	}
}

// endCalls ends the calls that match.
func (c *Client) endCalls(match func(*call) bool, why outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for o := range c.calls {
		if match(o) {
			o.finish(why)
		}
	}
}

// finish keeps the first outcome.
func (o *call) finish(out outcome) {
	select {
	case o.done <- out:
	default:
	}
}

// result turns an outcome into what the caller learns.
func (c *Client) result(ctx context.Context, t Tool, out outcome) (Result, error) {
	switch {
	case out.document != "":
		return Result{Document: out.document}, nil
	case out.dialog:
		if d := c.tab.Dialogs.Open(); d != nil {
			return Result{}, &browser.DialogError{Tab: c.tab.ID(), Dialog: *d}
		}
		return Result{}, failed(t.Name, "a dialog interrupted the call", true)
	case out.gone:
		if err := c.tab.Do(ctx, func(context.Context, *page.Page) error { return nil }); err != nil {
			return Result{}, err // says what happened to the tab
		}
		return Result{}, gone(t.Name, "its document went away before it answered")
	}
	ev := out.response
	if ev.Status == protocol.InvocationStatusCompleted {
		return Result{Output: json.RawMessage(ev.Output.Clone())}, nil
	}
	text := ev.ErrorText
	if text == "" && ev.Exception != nil {
		text, _, _ = strings.Cut(ev.Exception.Description, "\n    at ")
	}
	return Result{}, failed(t.Name, text, ev.Status == protocol.InvocationStatusCanceled)
}

// cancel cancels a call in the page. A page that does not answer keeps the call.
func (c *Client) cancel(session cdp.Session, id string) {
	ctx, done := context.WithTimeout(context.Background(), cancelTimeout)
	defer done()
	_, _ = cdp.Call(ctx, session, protocol.CancelInvocation, protocol.CancelInvocationParams{InvocationID: id})
}
