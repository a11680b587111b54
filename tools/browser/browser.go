// Package browser implements the two tools of scope browser: a snapshot, and a click on what it
// showed.
//
// What a click may do is decided by the server's operator; the tools take no policy from their
// caller, who is a model and reads what pages tell it. The package must not know how staleness is
// found: the engine does.
package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/browserapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
)

// Tools are the handlers of the area.
type Tools struct{ sessions session.Lookup }

// New makes the handlers.
func New(sessions session.Lookup) *Tools { return &Tools{sessions: sessions} }

var _ browserapi.Handlers = (*Tools)(nil)

// notesRoom is the part of a result that is left to what stands beside the outline of a snapshot, in bytes.
const notesRoom = 1000

// noTab says how a client of the scope gets a page, as none of its tools opens one.
const noTab = `no tab is open; "callsheet navigate URL" opens one, and a server that is started with --scope browser alone works in it`

// BrowserSnapshot shows the current tab and remembers what it has shown.
func (t *Tools) BrowserSnapshot(ctx context.Context, call *toolkit.Call, in browserapi.BrowserSnapshotParams) (toolkit.Result, error) {
	mode := read.ModeFull
	switch {
	case in.Interactive:
		mode = read.ModeInteractive
	case in.Compact:
		mode = read.ModeCompact
	}
	var s read.Snapshot
	err := t.sessions.Do(ctx, call, toolkit.Opt[string]{}, func(ctx context.Context, p *page.Page) (err error) {
		s, err = p.Read.Snapshot(ctx, read.Options{Mode: mode, Depth: in.MaxDepth, Selector: in.RootSelector.Value, MaxBytes: call.ResultBytes() - notesRoom})
		return err
	})
	if errors.Is(err, browser.ErrNoTab) {
		return toolkit.Result{}, toolkit.Refuse(codes.NoTab, noTab)
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	text := fmt.Sprintf("snapshotId %s %s %q\n%s", s.ID, s.URL, s.Title, s.Text)
	if s.Truncated {
		text += "\n[cut; a rootSelector shows one part whole]"
	}
	return toolkit.Text(text), nil
}

// BrowserClickRef clicks an element of the latest snapshot.
func (t *Tools) BrowserClickRef(ctx context.Context, call *toolkit.Call, in browserapi.BrowserClickRefParams) (toolkit.Result, error) {
	o := input.ClickOptions{Button: map[browserapi.BrowserClickRefButton]input.Button{
		browserapi.BrowserClickRefButtonLeft:   input.ButtonLeft,
		browserapi.BrowserClickRefButtonRight:  input.ButtonRight,
		browserapi.BrowserClickRefButtonMiddle: input.ButtonMiddle,
	}[in.Button]}
	if in.DoubleClick {
		o.Count = 2
	}
	limit := time.Duration(in.Timeout) * time.Millisecond
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := result.ActOn(bounded, call, t.sessions, toolkit.Opt[string]{}, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		return p.ClickSnapshot(ctx, in.SnapshotID, in.Ref, o)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return toolkit.Result{}, toolkit.Refuse(toolkit.Timeout, fmt.Sprintf("not finished within %v", limit), toolkit.Field{Name: "ms", Value: in.Timeout})
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(out.Text("clicked")), nil
}
