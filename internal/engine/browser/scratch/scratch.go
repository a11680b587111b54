// Package scratch has pages of a browser that are no session's tab. They show an empty document of any
// origin, which no request is sent for.
//
// It knows the connection to a browser, and must not know tabs or sessions.
package scratch

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
)

//go:embed context_storage.js
var contextStorageScript string

// Page is a page of a browser context that is no session's tab. It shows an empty document of
// any origin, which no request is sent for.
type Page struct {
	conn    *protocol.Conn
	base    context.Context // ends with the browser
	id      target.ID
	session *protocol.Session
}

// emptyDocument is the HTML of a scratch page.
const emptyDocument = "<!doctype html><title>callsheet</title>"

// Open attaches to an empty target of a browser, and makes it a scratch page. base ends with the browser.
// It closes the target when it fails.
func Open(ctx, base context.Context, conn *protocol.Conn, id target.ID) (*Page, error) {
	p := &Page{conn: conn, base: base, id: id}
	var err error
	if p.session, err = conn.Attach(ctx, id); err == nil {
		err = p.prepare(ctx)
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("open a scratch page: %w", err)
	}
	return p, nil
}

// Session returns the protocol session of the page.
func (p *Page) Session() cdp.Session { return p.session }

// prepare makes the page answer its own requests.
func (p *Page) prepare(ctx context.Context) error {
	answer := func(ev any) {
		paused, ok := ev.(*fetch.EventRequestPaused)
		if !ok {
			return
		}
		go func() { // events must not wait for the browser
			_ = protocol.Exec(p.base, p.session, fetch.FulfillRequest, fetch.FulfillRequestParams{
				RequestID: paused.RequestID, ResponseCode: 200, Body: []byte(emptyDocument),
				ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html"}},
			}) // the navigation reports a failure
		}()
	}
	p.session.Listen(answer)
	if err := errors.Join(
		protocol.Exec(ctx, p.session, runtime.Enable, cdp.Empty{}),
		protocol.Exec(ctx, p.session, cdppage.Enable, cdppage.EnableParams{}),
		protocol.Exec(ctx, p.session, network.Enable, network.EnableParams{}),
	); err != nil {
		return err
	}
	if err := protocol.Exec(ctx, p.session, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}); err != nil {
		return err
	}
	return protocol.Exec(ctx, p.session, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}})
}

// originStorage is the storage of one origin in JSON, as the script takes and returns it.
type originStorage struct {
	Origin string `json:"origin"`
	Left   int    `json:"left"` // records that have no form
}

// Run shows an empty document of an origin and runs the script there. It decodes the result into
// out.
func (p *Page) Run(ctx context.Context, origin, action string, wanted, out any) error {
	if err := p.Show(ctx, origin); err != nil {
		return err
	}
	argument, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	yes := true
	value, err := cdp.Call(ctx, p.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fmt.Sprintf("(%s)(%q, %s)", contextStorageScript, action, argument), AwaitPromise: &yes, ReturnByValue: &yes,
	})
	if err != nil {
		return err
	}
	if d := value.ExceptionDetails; d != nil {
		return fault.New(codes.Failed, fmt.Sprintf("the storage of %s cannot be %s: %s", origin, map[bool]string{true: "read", false: "written"}[action == "read"], exceptionText(d)))
	}
	var text string
	var at originStorage
	if err := json.Unmarshal(value.Result.Value, &text); err != nil {
		return fmt.Errorf("decode the storage of %s: %w", origin, err)
	}
	if err := json.Unmarshal([]byte(text), &at); err != nil || at.Origin != origin {
		return fault.New(codes.Failed, fmt.Sprintf("the storage of %s cannot be reached: the page shows another origin", origin))
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal([]byte(text), out)
}

// Show loads an empty document of an origin.
func (p *Page) Show(ctx context.Context, origin string) error {
	res, err := cdp.Call(ctx, p.session, cdppage.Navigate, cdppage.NavigateParams{URL: origin + "/"})
	if err == nil && res.ErrorText != "" {
		err = fault.New(codes.Failed, fmt.Sprintf("the storage of %s cannot be reached: %s", origin, res.ErrorText))
	}
	return err
}

// exceptionText returns the text of an exception, with its stack where it has one.
func exceptionText(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	return d.Text
}

// scratchCloseTimeout bounds the end of a scratch page.
const scratchCloseTimeout = 5 * time.Second

// Close closes the page; nil is none.
func (p *Page) Close() {
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(p.base, scratchCloseTimeout)
	defer cancel()
	_ = protocol.Exec(ctx, p.conn, target.CloseTarget, target.CloseTargetParams{TargetID: p.id}) // the context's end closes it too
}
