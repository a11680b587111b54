// Package download implements the tools of area download: what pages download, and how far it is.
//
// It renders downloads and links to their artifacts; the engine tracks them. It must not know
// pages.
package download

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset/downloadapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/download"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// maxListed is the number of downloads that are listed, the newest ones; a download in the way of a wait is
// always told.
const maxListed = 20

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	kept     *artifact.Store
}

// New makes the handlers; complete downloads are in kept.
func New(sessions session.Lookup, kept *artifact.Store) *Tools {
	return &Tools{sessions: sessions, kept: kept}
}

var _ downloadapi.Handlers = (*Tools)(nil)

// Downloads lists downloads, waits for them, or cancels one.
func (t *Tools) Downloads(ctx context.Context, call *toolkit.Call, in downloadapi.DownloadsParams, powers downloadapi.DownloadsPowers) (toolkit.Result, error) {
	session, err := t.sessions.Active(call)
	if err != nil {
		return toolkit.Result{}, err
	}
	if err := result.RequireArgument(string(in.Action), "id", in.ID.Set || in.Action != downloadapi.DownloadsActionCancel); err != nil {
		return toolkit.Result{}, err
	}
	list := session.Downloads.All()
	if id := in.ID.Value; in.ID.Set && !slices.ContainsFunc(list, func(d download.Download) bool { return d.ID == id }) {
		ids := slicesx.List(list, func(d download.Download) string { return d.ID })
		return toolkit.Result{}, toolkit.Refuse(codes.NotFound, fmt.Sprintf("no download %q in this session", id), toolkit.Field{Name: "downloads", Value: ids})
	}
	switch in.Action {
	case downloadapi.DownloadsActionList:
	case downloadapi.DownloadsActionCancel:
		err = session.Downloads.Cancel(ctx, powers.Download(), in.ID.Value)
	case downloadapi.DownloadsActionWait:
		list, err = await(ctx, call, powers.Download(), session, in)
	}
	var late *toolkit.Refusal
	if err != nil && !errors.As(err, &late) {
		return toolkit.Result{}, err
	}
	if in.Action == downloadapi.DownloadsActionCancel {
		list = session.Downloads.All()
	}
	if in.ID.Set {
		list = slices.DeleteFunc(list, func(d download.Download) bool { return d.ID != in.ID.Value })
	}
	res := t.show(ctx, list, in.Action == downloadapi.DownloadsActionWait || in.ID.Set)
	if late != nil { // the result still lists the downloads that ended
		late.Message += "\n" + res.Content[0].Text
		return toolkit.Result{}, late
	}
	return res, nil
}

// await waits for downloads and reports their bytes while it does.
func await(
	ctx context.Context, call *toolkit.Call, p power.Download, session *browser.Session, in downloadapi.DownloadsParams,
) ([]download.Download, error) {
	limited, cancel := context.WithTimeout(ctx, time.Duration(in.Timeout)*time.Millisecond)
	defer cancel()
	if tab, err := session.Tab(limited, ""); err == nil && !in.ID.Set {
		tab.Activity.WaitForDownloadStart(limited)
	}
	list, err := session.Downloads.Wait(limited, p, in.ID.Value, func(list []download.Download) {
		var received, total int64
		running := 0
		for _, d := range list {
			if d.State == download.Running {
				running, received, total = running+1, received+d.Received, total+d.Total
			}
		}
		call.Progress(float64(received), float64(total), fmt.Sprintf("%d under way", running))
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = toolkit.Refuse(toolkit.Timeout, fmt.Sprintf("not finished within %d ms", in.Timeout), toolkit.Field{Name: "ms", Value: in.Timeout})
	}
	return list, err
}

// show lists downloads, newest last, with links to those that are complete. The latest one that is complete comes with
// its text, if that is wanted or it is the only one.
func (t *Tools) show(ctx context.Context, list []download.Download, wantsText bool) toolkit.Result {
	var lines []string
	if n := len(list) - maxListed; n > 0 {
		lines, list = append(lines, fmt.Sprintf("%d older ones are left out", n)), list[n:]
	}
	var links []toolkit.Link
	content := ""
	for _, d := range list {
		lines = append(lines, result.Download(d))
		a, f, err := t.kept.Open(d.Stored.ID)
		if err != nil {
			continue
		}
		links = append(links, result.Link(a))
		if wantsText || len(list) == 1 {
			content = result.FileText(ctx, f, a.Size)
		}
		_ = f.Close()
	}
	if content != "" {
		lines = append(lines, content)
	}
	if len(lines) == 0 {
		lines = []string{"no download"}
	}
	res := toolkit.Text(strings.Join(lines, "\n"))
	res.Links = links
	return res
}
