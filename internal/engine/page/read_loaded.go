package page

import (
	"context"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

const (
	// loadingTimeout bounds the wait of a reading for a page that shows no control yet.
	loadingTimeout = 3 * time.Second
	// sparseText is the length, in bytes, of a reading below which a page without controls may be one that
	// is not filled yet.
	sparseText = 400
)

// ReadLoaded reads the page. If that shows no control and little text, and the page is about to change, it
// waits for a first control or until the page is at rest, at most for three seconds in each document; then
// the reading says that the page is still loading.
func (p *Page) ReadLoaded(ctx context.Context, o read.Options) (read.Reading, error) {
	shown := p.WaitForDocument(ctx)
	r, err := p.Read.Page(ctx, o)
	r.Loading = !shown && err == nil
	for begun := time.Now(); err == nil && isSparse(r, o); {
		loading, restErr := p.Settle.IsLoading(ctx)
		if restErr != nil || !loading {
			break
		}
		if time.Since(begun) > loadingTimeout || p.gaveUp == p.Document.Loader() {
			p.gaveUp, r.Loading = p.Document.Loader(), true
			break
		}
		generation, restErr := p.Settle.DOMGeneration(ctx)
		if restErr != nil || p.Settle.WaitForChange(ctx, generation, settle.PollInterval) != nil {
			break
		}
		r, err = p.Read.Page(ctx, o)
	}
	return r, err
}

// WaitForDocument waits until a tab that a page opened shows more than the empty document that it begins with, at
// most for three seconds in each document, and reports whether it does. Other tabs do from the first.
func (p *Page) WaitForDocument(ctx context.Context) bool {
	for begun := time.Now(); p.IsPopup; {
		if _, err := p.Document.TopWorld(ctx); err != nil {
			return true // the reading says why
		}
		shown := true
		_ = p.Document.CallShown(ctx, `function() { return location.href !== 'about:blank' || !!document.body?.hasChildNodes() }`, &shown)
		if shown {
			return true
		}
		if time.Since(begun) > loadingTimeout || p.gaveUp == p.Document.Loader() {
			p.gaveUp = p.Document.Loader()
			return false
		}
		if settle.Pause(ctx, settle.PollInterval) != nil {
			return false
		}
	}
	return true
}

// isSparse reports a reading of a whole page without a control and with little text.
func isSparse(r read.Reading, o read.Options) bool {
	outline := o.Mode == read.ModeCompact || o.Mode == read.ModeInteractive || o.Mode == read.ModeFull
	return outline && o.Ref == "" && o.Selector == "" && o.Continue == "" && !o.Diff &&
		len(r.Text) < sparseText && !strings.Contains(r.Text, "[e")
}
