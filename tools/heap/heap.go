// Package heap implements the tools of area heap: what fills the memory of a page and keeps it there,
// and which functions take time.
//
// It keeps snapshots and profiles as artifacts and says in texts what the engine in
// internal/engine/heap finds. It must not know the format of a snapshot.
package heap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/heapapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/heap"
	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/chromedp/cdproto/cdp"
)

// Names of artifacts of this area, by which they are known.
const (
	snapshotName = "page.heapsnapshot"
	profileName  = "page.cpuprofile"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions  session.Lookup
	artifacts *artifact.Store
	// analysis has one place, so that the memory of the server has room for one large heap at a time.
	analysis chan struct{}
}

// New makes the handlers; snapshots and profiles are kept as artifacts.
func New(sessions session.Lookup, artifacts *artifact.Store) *Tools {
	return &Tools{sessions: sessions, artifacts: artifacts, analysis: make(chan struct{}, 1)}
}

var _ heapapi.Handlers = (*Tools)(nil)

// limitedWriter fails when more is written than may be kept.
type limitedWriter struct {
	file *os.File
	left int64
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.left -= int64(len(p)); w.left < 0 {
		return 0, artifact.ErrTooLarge
	}
	return w.file.Write(p)
}

// capture takes a snapshot of a tab into a file that only lives until done is called. loader is that of
// the document.
func (t *Tools) capture(ctx context.Context, tab *browser.Tab) (path string, loader cdp.LoaderID, done func(), err error) {
	dir, remove, err := t.artifacts.Incoming()
	if err != nil {
		return "", "", nil, err
	}
	done = func() { _ = remove() } // the next process sweeps what stays
	path = filepath.Join(dir, snapshotName)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		loader, err = heap.Capture(ctx, tab, &limitedWriter{file, t.artifacts.Limit()})
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		done()
		return "", "", nil, err
	}
	return path, loader, done, nil
}

// keep takes a snapshot of a tab and keeps it as an artifact, whose source is the loader of the document.
func (t *Tools) keep(ctx context.Context, call *toolkit.Call, tab *browser.Tab) (artifact.Artifact, error) {
	path, loader, done, err := t.capture(ctx, tab)
	if err != nil {
		return artifact.Artifact{}, err
	}
	defer done()
	return t.artifacts.PutFile(artifact.Meta{Name: snapshotName, MIME: "application/json", Session: call.Session.ID, Source: string(loader)}, path)
}

// withAnalysis runs fn with an analyzed snapshot. One is in memory at a time.
func (t *Tools) withAnalysis(ctx context.Context, path string, fn func(*snapshot.Analysis) error) error {
	select {
	case t.analysis <- struct{}{}:
		defer func() { <-t.analysis }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the heap snapshot: %w", err)
	}
	defer func() { _ = file.Close() }() // reading handle: nothing is lost
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open the heap snapshot: %w", err)
	}
	return heap.WithSnapshot(ctx, file, info.Size(), fn)
}

// census counts a snapshot for a comparison.
func (t *Tools) census(ctx context.Context, path string) (c *snapshot.Census, err error) {
	err = t.withAnalysis(ctx, path, func(g *snapshot.Analysis) (err error) {
		c, err = g.Census(ctx)
		return err
	})
	return c, err
}

// find returns a snapshot that the client keeps. One of another client is as if there were none.
func (t *Tools) find(call *toolkit.Call, id string) (artifact.Artifact, error) {
	a, err := t.artifacts.Get(strings.TrimPrefix(id, artifact.Scheme))
	if err == nil && (a.Session != call.Session.ID || a.Name != snapshotName) {
		err = fs.ErrNotExist
	}
	if err == nil {
		return a, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return a, fmt.Errorf("open the heap snapshot: %w", err)
	}
	known := []string{}
	if list, err := t.artifacts.List(call.Session.ID); err == nil {
		for _, a := range list {
			if a.Name == snapshotName {
				known = append(known, a.ID)
			}
		}
	}
	said := fmt.Sprintf("no heap snapshot %q", text.ClipRunes(id, 60))
	if near := toolkit.Nearest(id, known); near != "" {
		said += fmt.Sprintf(", did you mean %q?", near)
	}
	return a, toolkit.Refuse(codes.NotFound, said, toolkit.Field{Name: "snapshots", Value: known})
}
