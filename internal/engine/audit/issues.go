package audit

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/browser"
)

// readIssues returns what the browser has found wrong with the document since it was loaded. The
// browser repeats its issues when the domain is enabled, before it answers.
func readIssues(ctx context.Context, tab *browser.Tab) ([]*audits.InspectorIssue, error) {
	session, err := tab.Protocol(ctx)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var out []*audits.InspectorIssue
	stop := tab.Listen(func(event any) {
		if ev, ok := event.(*audits.EventIssueAdded); ok && ev.Issue != nil {
			mu.Lock()
			defer mu.Unlock()
			out = append(out, ev.Issue)
		}
	})
	defer stop()
	err = call(ctx, session, audits.Enable, cdp.Empty{})
	if err = errors.Join(err, call(ctx, session, audits.Disable, cdp.Empty{})); err != nil {
		return nil, fmt.Errorf("read the browser's issues: %w", err)
	}
	mu.Lock()
	defer mu.Unlock()
	return out, nil
}
