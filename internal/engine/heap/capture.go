package heap

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
	"github.com/callsheet/callsheet/internal/engine/page"
)

// chunkWriter writes the chunks of a snapshot until one cannot be written. The browser sends the rest
// all the same.
type chunkWriter struct {
	mu     sync.Mutex
	w      *bufio.Writer
	closed bool
	err    error
}

func (c *chunkWriter) observe(event any) {
	chunk, ok := event.(*heapprofiler.EventAddHeapSnapshotChunk)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && !c.closed {
		_, c.err = c.w.WriteString(chunk.Chunk)
	}
}

// finish flushes what was written and ignores later chunks.
func (c *chunkWriter) finish() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return errors.Join(c.err, c.w.Flush())
}

// Capture collects garbage, takes a snapshot of the tab's heap and writes it to w as the browser sends
// it. It returns the loader of the document. The page stands still meanwhile. The errors are those of
// browser.Tab.Do and of w.
func Capture(ctx context.Context, tab *browser.Tab, w io.Writer) (loader cdp.LoaderID, err error) {
	err = tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		// The scripts of this server come into the page now, so that they are in each snapshot of it.
		if _, err := p.Locate.QueryStates(ctx, []string{"html"}); err != nil {
			return err
		}
		loader = p.Document.Loader()
		session, err := tab.Protocol(ctx)
		if err != nil {
			return err
		}
		out := &chunkWriter{w: bufio.NewWriterSize(w, 1<<20)}
		defer tab.Listen(out.observe)()
		if err := collect(ctx, session); err != nil {
			return err
		}
		_, err = cdp.Call(ctx, session, heapprofiler.TakeHeapSnapshot, heapprofiler.TakeHeapSnapshotParams{})
		if err != nil {
			return errors.Join(fmt.Errorf("take a heap snapshot: %w", err), out.finish())
		}
		if err := out.finish(); err != nil {
			return fmt.Errorf("write the heap snapshot: %w", err)
		}
		return nil
	})
	return loader, err
}

// collect collects garbage twice: the first time runs finalizers, which free more.
func collect(ctx context.Context, session cdp.Session) error {
	for range 2 {
		if _, err := cdp.Call(ctx, session, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			return fmt.Errorf("collect garbage: %w", err)
		}
	}
	return nil
}

// engineGlobal is the property by which package page keeps its script in an isolated world.
const engineGlobal = "callsheetEngine"

// WithSnapshot reads and analyzes a snapshot that Capture wrote, of size bytes, calls fn with it and
// gives its memory back. What the scripts of this server hold in the page is left out. The errors are
// those of snapshot.With.
func WithSnapshot(ctx context.Context, file io.ReaderAt, size int64, fn func(*snapshot.Analysis) error) error {
	return snapshot.With(ctx, file, size, engineGlobal, fn)
}
