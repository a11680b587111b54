package contract

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/contractapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// maxMarkup is how much of a document a bundle keeps, in bytes.
const maxMarkup = 5 << 20

// part is a file of a bundle.
type part struct {
	name string
	size int // bytes
	data []byte
}

// bundle collects the parts and what could not be had.
type bundle struct {
	parts  []part
	failed []string
	phash  string
}

// OcEvidenceBundle keeps the tab's evidence. The result names each part that is not available; the
// others are stored.
func (t *Tools) OcEvidenceBundle(ctx context.Context, call *toolkit.Call, in contractapi.OcEvidenceBundleParams) (out contractapi.OcEvidenceBundleResult, err error) {
	if in.Class.Set {
		if _, err := t.exemplars.List(ctx, in.Class.Value); err != nil {
			return out, classViolation(err)
		}
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return out, err
	}
	b := t.collect(ctx, call, tab, in)
	if err := ctx.Err(); err != nil {
		return out, err
	}
	if len(b.parts) == 0 && b.phash == "" {
		return out, toolkit.Refuse(toolkit.Failed, "nothing could be had: "+strings.Join(b.failed, "; "))
	}
	a, err := t.zip(ctx, call, b)
	if err != nil {
		return out, err
	}
	out = contractapi.OcEvidenceBundleResult{Bundle: a.URI(), Bytes: int(a.Size), Missing: b.failed, Phash: toolkit.NonZero(b.phash)}
	for _, p := range b.parts {
		out.Parts = append(out.Parts, contractapi.OcEvidenceBundleResultPartsItem{Name: p.name, Bytes: p.size})
	}
	if in.Class.Set && b.phash != "" {
		kept, err := t.remember(ctx, in.Class.Value, b.phash)
		if err != nil {
			return out, classViolation(err)
		}
		out.Class, out.ClassSize = in.Class, toolkit.NonZero(kept)
	}
	call.SetContent(toolkit.Result{Links: []toolkit.Link{result.Link(a)}})
	return out, nil
}

// collect asks the tab for each part that is wanted.
func (t *Tools) collect(ctx context.Context, call *toolkit.Call, tab *browser.Tab, in contractapi.OcEvidenceBundleParams) *bundle {
	b := &bundle{}
	wants := func(item contractapi.OcEvidenceBundleIncludeItem) bool {
		return len(in.Include) == 0 || slices.Contains(in.Include, item)
	}
	hash := wants(contractapi.OcEvidenceBundleIncludeItemPhash) || in.Class.Set
	if shown := wants(contractapi.OcEvidenceBundleIncludeItemScreenshot); shown || hash {
		data, mark, err := live.Screenshot(ctx, tab, "")
		if shown {
			b.add(call, "screenshot.png", data, err)
		} else if err != nil {
			b.add(call, "phash", nil, err)
		}
		if hash && err == nil {
			b.phash = mark.String()
		}
	}
	if wants(contractapi.OcEvidenceBundleIncludeItemDOM) {
		markup, err := markupOf(ctx, tab)
		b.add(call, "dom.html", []byte(t.redact(markup)), err)
	}
	if wants(contractapi.OcEvidenceBundleIncludeItemNetwork) {
		window := time.Duration(-1)
		if in.NetworkWindowMs.Set {
			window = time.Duration(in.NetworkWindowMs.Value) * time.Millisecond
		}
		data, err := json.MarshalIndent(requests(tab, window), "", " ")
		b.add(call, "network.json", []byte(t.redact(string(data))), err)
	}
	if wants(contractapi.OcEvidenceBundleIncludeItemConsole) {
		tab.FrameConsoles.Follow(ctx)
		data, err := json.MarshalIndent(messages(tab), "", " ")
		b.add(call, "console.json", []byte(t.redact(string(data))), err)
	}
	return b
}

func (b *bundle) add(call *toolkit.Call, name string, data []byte, err error) {
	if err != nil {
		b.failed = append(b.failed, name+": "+result.Refusal(call, err).Error())
		return
	}
	b.parts = append(b.parts, part{name, len(data), data})
}

func markupOf(ctx context.Context, tab *browser.Tab) (string, error) {
	var r read.Reading
	err := tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		r, err = p.Read.Content(ctx, read.Options{MaxBytes: maxMarkup}, false)
		return err
	})
	return r.Text, err
}

// request is a line of network.json.
type request struct {
	At      time.Time `json:"at"`
	Method  string    `json:"method"`
	URL     string    `json:"url"`
	Status  int       `json:"status,omitempty"`
	Failure string    `json:"failure,omitempty"`
	Type    string    `json:"type,omitempty"`
	MS      int64     `json:"ms,omitempty"`
}

// requests returns the requests of the window, or all since the page loaded for a negative one. A
// running capture has more of them than the tab's own record.
func requests(tab *browser.Tab, window time.Duration) []request {
	from := tab.Activity.Load()
	if window >= 0 {
		from = browser.Mark{Time: time.Now().Add(-window)}
	}
	out := []request{}
	if record := network.CaptureOf(tab).Read(); record.Active && !record.Since.After(from.Time) {
		for _, e := range record.Entries {
			if e = e.Redact(); !e.Started.Before(from.Time) {
				out = append(out, request{At: e.Started, Method: e.Method, URL: e.URL, Status: e.Status, Failure: e.Failure, Type: e.Type, MS: e.Duration.Milliseconds()})
			}
		}
		return out
	}
	sent, _ := tab.Activity.Requests(from)
	for _, s := range sent {
		if window < 0 || !s.Time.Before(from.Time) {
			out = append(out, request{At: s.Time, Method: s.Method, URL: network.RedactURL(s.URL), Status: s.Status, Failure: s.Failure})
		}
	}
	return out
}

// message is a line of console.json.
type message struct {
	At    time.Time     `json:"at"`
	Level console.Level `json:"level"`
	Text  string        `json:"text"`
	Place string        `json:"place,omitempty"`
	Count int           `json:"count,omitempty"`
}

func messages(tab *browser.Tab) []message {
	out := []message{}
	for _, m := range tab.Console().Read(console.Query{Unfolded: true}).Messages {
		line := message{At: m.Time, Level: m.Level, Text: m.Text, Count: m.Count}
		if m.Location.URL != "" {
			line.Place = fmt.Sprintf("%s:%d:%d", network.RedactURL(m.Location.URL), m.Location.Line, m.Location.Column)
		}
		out = append(out, line)
	}
	return out
}

// zip makes one artifact of the parts. They are redacted already: nothing looks into an archive.
func (t *Tools) zip(ctx context.Context, call *toolkit.Call, b *bundle) (artifact.Artifact, error) {
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for _, p := range b.parts {
		to, err := w.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: time.Now()})
		if err == nil {
			_, err = to.Write(p.data)
		}
		if err != nil {
			return artifact.Artifact{}, fmt.Errorf("pack %s: %w", p.name, err)
		}
	}
	if b.phash != "" {
		to, err := w.Create("phash.txt")
		if err == nil {
			_, err = to.Write([]byte(b.phash + "\n"))
		}
		if err != nil {
			return artifact.Artifact{}, fmt.Errorf("pack the hash: %w", err)
		}
		b.parts = append(b.parts, part{name: "phash.txt", size: len(b.phash) + 1})
	}
	if err := w.Close(); err != nil {
		return artifact.Artifact{}, fmt.Errorf("pack the evidence: %w", err)
	}
	meta := artifact.Meta{Name: "evidence.zip", MIME: "application/zip", Session: call.Session.ID}
	a, err := t.kept.Put(ctx, meta, &file)
	if err != nil {
		return artifact.Artifact{}, fmt.Errorf("keep the evidence: %w", err)
	}
	return a, nil
}
