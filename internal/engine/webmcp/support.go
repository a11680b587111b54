package webmcp

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page"
)

// supportTimeout bounds the evaluation of CheckSupport.
const supportTimeout = 2 * time.Second

// lacksFeature is true in a document that would have document.modelContext if WebMCP were switched on. Only
// secure contexts have it.
const lacksFeature = `isSecureContext && !('modelContext' in Document.prototype)`

// CheckSupport returns an *UnsupportedError where the page of the tab shows that WebMCP is switched off in the
// browser: such a browser takes the commands of the domain and never reports a tool. The result is nil where the
// page cannot tell, because it is busy, paused or no secure context.
func (c *Client) CheckSupport(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, supportTimeout)
	defer cancel()
	session, err := c.tab.Protocol(ctx)
	if err != nil {
		return nil //nolint:nilerr // the next call on the tab reports it
	}
	lacks := false
	_ = c.tab.Do(ctx, func(ctx context.Context, _ *page.Page) error { // an error is that of a page that cannot tell
		res, err := cdp.Call(ctx, session, runtime.Evaluate, runtime.EvaluateParams{Expression: lacksFeature})
		lacks = err == nil && string(res.Result.Value) == "true"
		return err
	})
	if lacks {
		return unsupported()
	}
	return nil
}
