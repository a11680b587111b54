package heap

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/heapapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/heap"
	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// CpuProfile records which functions take time.
func (t *Tools) CpuProfile(ctx context.Context, call *toolkit.Call, in heapapi.CpuProfileParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	recorder := heap.CPURecorderOf(tab)
	if in.Action != heapapi.CpuProfileActionStop {
		if err := recorder.Start(ctx, tab); err != nil {
			return toolkit.Result{}, err
		}
	}
	switch in.Action {
	case heapapi.CpuProfileActionStart:
		return toolkit.Text("recording; cpu_profile with action stop ends it"), nil
	case heapapi.CpuProfileActionRecord:
		timer := time.NewTimer(time.Duration(in.Ms) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	case heapapi.CpuProfileActionStop:
	}
	profile, err := recorder.Stop(ctx, tab)
	if err != nil {
		return toolkit.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return toolkit.Result{}, context.Cause(ctx)
	}
	return t.profileResult(ctx, call, tab, profile, in.Limit)
}

// profileResult keeps a profile and sums it up.
func (t *Tools) profileResult(ctx context.Context, call *toolkit.Call, tab *browser.Tab, profile *heap.CPUProfile, limit int) (toolkit.Result, error) {
	data, err := profile.JSON()
	if err != nil {
		return toolkit.Result{}, err
	}
	a, err := t.artifacts.Put(ctx, artifact.Meta{Name: profileName, MIME: "application/json", Session: call.Session.ID}, bytes.NewReader(data))
	if err != nil {
		return toolkit.Result{}, err
	}
	s := profile.Summary()
	var b strings.Builder
	b.WriteString("self, total: function")
	places := newPlaces(ctx, tab)
	for _, f := range s.Functions[:min(len(s.Functions), limit)] {
		at := &snapshot.Place{URL: f.URL, Line: f.Line, Column: f.Column}
		if f.URL == "" {
			at = nil
		}
		fmt.Fprintf(&b, "\n%s, %s: %s%s", millis(f.Self), millis(f.Total), line(f.Function), places.text(ctx, " ", at))
	}
	if len(s.Functions) == 0 {
		b.WriteString("\nno function of a script ran")
	}
	busy := s.Duration - s.Idle
	r := toolkit.Text(fmt.Sprintf("%s recorded, %s busy, %s collecting garbage, %s in the browser's own code; %d functions\n%s",
		millis(s.Duration), millis(busy), millis(s.Collector), millis(s.Program), len(s.Functions), result.Quote(b.String())))
	r.Links = []toolkit.Link{result.Link(a)}
	return r, nil
}

// millis writes a time in milliseconds.
func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
