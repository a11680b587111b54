package browser

import (
	"context"
	_ "embed"
	"encoding/json"
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

// scratchPage is a page of a browser context that is no session's tab. It shows an empty document of
// any origin, which no request is sent for.
type scratchPage struct {
	instance *instance
	id       target.ID
	session  *protocol.Session
}

// emptyDocument is what a scratch page shows.
const emptyDocument = "<!doctype html><title>callsheet</title>"

// openScratchPage opens a scratch page in a browser context; "" is the default one.
func (e *instance) openScratchPage(ctx context.Context, in cdp.BrowserContextID) (*scratchPage, error) {
	id, err := e.createTarget(ctx, in)
	if err != nil {
		return nil, err
	}
	p := &scratchPage{instance: e, id: id}
	if p.session, err = e.conn.Attach(ctx, id); err == nil {
		err = p.prepare(ctx)
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("open a scratch page: %w", err)
	}
	return p, nil
}

// prepare makes the page answer its own requests.
func (p *scratchPage) prepare(ctx context.Context) error {
	answer := func(ev any) {
		paused, ok := ev.(*fetch.EventRequestPaused)
		if !ok {
			return
		}
		go func() { // events must not wait for the browser
			_ = protocol.Exec(p.instance.ctx, p.session, fetch.FulfillRequest, fetch.FulfillRequestParams{
				RequestID: paused.RequestID, ResponseCode: 200, Body: []byte(emptyDocument),
				ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html"}},
			}) // the navigation reports a failure
		}()
	}
	p.session.Listen(answer)
	if err := concurrently(
		func() error { return protocol.Exec(ctx, p.session, runtime.Enable, cdp.Empty{}) },
		func() error { return protocol.Exec(ctx, p.session, cdppage.Enable, cdppage.EnableParams{}) },
		func() error { return protocol.Exec(ctx, p.session, network.Enable, network.EnableParams{}) },
	); err != nil {
		return err
	}
	if err := protocol.Exec(ctx, p.session, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}); err != nil {
		return err
	}
	return protocol.Exec(ctx, p.session, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: requestPattern}}})
}

// originStorage is the storage of one origin in JSON, as the script takes and returns it.
type originStorage struct {
	Origin string `json:"origin"`
	Left   int    `json:"left"` // records that have no form
}

// run shows an empty document of an origin and runs the script there. It decodes the result into
// out.
func (p *scratchPage) run(ctx context.Context, origin, action string, wanted, out any) error {
	if err := p.show(ctx, origin); err != nil {
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

// show loads an empty document of an origin.
func (p *scratchPage) show(ctx context.Context, origin string) error {
	res, err := cdp.Call(ctx, p.session, cdppage.Navigate, cdppage.NavigateParams{URL: origin + "/"})
	if err == nil && res.ErrorText != "" {
		err = fault.New(codes.Failed, fmt.Sprintf("the storage of %s cannot be reached: %s", origin, res.ErrorText))
	}
	return err
}

// WithScratchPage calls fn with the protocol session of a page that is no session's tab and that shows an
// empty document of an https origin, which no request is sent for. It launches the browser if none runs,
// and closes the page after fn. It is for scripts of this server that need a browser and no site. The
// errors are those of the browser and of fn.
func (b *Browser) WithScratchPage(ctx context.Context, origin string, fn func(cdp.Session) error) error {
	e, err := b.ensureInstance(ctx)
	if err != nil {
		return err
	}
	p, err := e.openScratchPage(ctx, "")
	if err != nil {
		return e.explain(err)
	}
	defer p.close()
	if err := p.show(ctx, origin); err != nil {
		return e.explain(err)
	}
	if err := fn(p.session); err != nil {
		return e.explain(err)
	}
	return nil
}

// exceptionText is what a script threw.
func exceptionText(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	return d.Text
}

// scratchCloseTimeout bounds the end of a scratch page.
const scratchCloseTimeout = 5 * time.Second

// close closes the page; nil is none.
func (p *scratchPage) close() {
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(p.instance.ctx, scratchCloseTimeout)
	defer cancel()
	_ = protocol.Exec(ctx, p.instance.conn, target.CloseTarget, target.CloseTargetParams{TargetID: p.id}) // the context's end closes it too
}
