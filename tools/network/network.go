// Package network implements the tools of area network: the requests of a tab, changed on their way
// or written down.
//
// It parses arguments and renders results without secrets; the engine intercepts and records the
// requests.
package network

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset/networkapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions  session.Lookup
	output    *files.Dir
	artifacts *artifact.Store
}

// New makes the handlers. Archives and bodies go to artifacts, or below output when a path is
// given.
func New(sessions session.Lookup, output *files.Dir, artifacts *artifact.Store) *Tools {
	return &Tools{sessions: sessions, output: output, artifacts: artifacts}
}

var _ networkapi.Handlers = (*Tools)(nil)

// RequestIntercept adds, removes and lists rules for requests.
func (t *Tools) RequestIntercept(ctx context.Context, call *toolkit.Call, in networkapi.RequestInterceptParams, powers networkapi.RequestInterceptPowers) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	rules := network.InterceptorOf(tab)
	var text string
	switch in.Action {
	case networkapi.RequestInterceptActionAdd:
		rule, invalid := ruleOf(ctx, in)
		if err = invalid; err == nil {
			text, err = rules.Add(ctx, powers.Network(), powers.Script(), rule)
		}
	case networkapi.RequestInterceptActionRemove:
		err = rules.Remove(ctx, in.ID.Value)
		text = "removed " + in.ID.Value
	case networkapi.RequestInterceptActionClear:
		var n int
		n, err = rules.Clear(ctx)
		text = fmt.Sprintf("removed %d rules", n)
	case networkapi.RequestInterceptActionList:
		if text = strings.Join(rules.List(), "\n"); text == "" {
			text = "no rules"
		}
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(text), nil
}

func ruleOf(ctx context.Context, in networkapi.RequestInterceptParams) (network.Rule, error) {
	edits, err := network.ParseHeaderEdits(in.Headers)
	if err != nil {
		return network.Rule{}, err
	}
	r := network.Rule{
		Action: network.Action(in.Do.Value), Pattern: in.Pattern.Value, Shown: secret.Shown(ctx), Syntax: network.Syntax(in.Syntax), Types: in.Types,
		URL: in.URL.Value, Method: in.Method.Value, Headers: edits, Status: in.Status.Value, Delay: time.Duration(in.DelayMs.Value) * time.Millisecond,
	}
	if in.Body.Set {
		r.Body = &in.Body.Value
	}
	return r, nil
}

// NetworkCaptureLite records requests and lists them.
func (t *Tools) NetworkCaptureLite(ctx context.Context, call *toolkit.Call, in networkapi.NetworkCaptureLiteParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	c := network.CaptureOf(tab)
	switch in.Action {
	case networkapi.NetworkCaptureLiteActionStart:
		return startCapture(ctx, c, network.CaptureOptions{})
	case networkapi.NetworkCaptureLiteActionStop:
		return stopCapture(c), nil
	case networkapi.NetworkCaptureLiteActionClear:
		return toolkit.Textf("cleared %d requests", c.Clear()), nil
	case networkapi.NetworkCaptureLiteActionGet:
	}
	filter, err := liteFilter(ctx, in)
	if err != nil {
		return toolkit.Result{}, err
	}
	return list(tab, c, filter, in.Limit)
}

func startCapture(ctx context.Context, c *network.Capture, o network.CaptureOptions) (toolkit.Result, error) {
	ran, err := c.Start(ctx, o)
	switch {
	case err != nil:
		return toolkit.Result{}, err
	case ran && o.Bodies:
		return toolkit.Text("already capturing; bodies are kept from now on"), nil
	case ran:
		return toolkit.Text("already capturing"), nil
	}
	return toolkit.Text("capturing"), nil
}

func stopCapture(c *network.Capture) toolkit.Result {
	n := len(c.Read().Entries)
	if !c.Stop() {
		return toolkit.Textf("was not capturing; %d requests are recorded", n)
	}
	return toolkit.Textf("stopped; %d requests are recorded", n)
}

// list shows the newest requests that fit, oldest first, under a line of counts. Before the first
// start these are the requests that every tab remembers, without sizes and times.
func list(tab *browser.Tab, c *network.Capture, f network.Filter, limit int) (toolkit.Result, error) {
	record := c.Read()
	if record.Since.IsZero() {
		record = network.Remembered(tab)
	}
	found, err := f.Select(record.Entries)
	if err != nil {
		return toolkit.Result{}, err
	}
	failed := 0
	for _, e := range record.Entries {
		if e.Failure != "" || e.Status >= 400 {
			failed++
		}
	}
	text := fmt.Sprintf("%d requests, %d failed", len(record.Entries), failed)
	switch {
	case record.Since.IsZero():
		text += "; start records headers, sizes and times as well"
	case !record.Active:
		text += "; stopped"
	}
	if record.Dropped > 0 {
		text += fmt.Sprintf("; %d older ones are no longer kept", record.Dropped)
	}
	if len(found) < len(record.Entries) {
		text += fmt.Sprintf("; %d fit", len(found))
	}
	if limit = max(limit, 1); len(found) > limit {
		text += fmt.Sprintf("; the newest %d:", limit)
		found = found[len(found)-limit:]
	}
	var b strings.Builder
	b.WriteString(text)
	for i, e := range found {
		line := e.Redact().String()
		if b.Len()+len(line) > 28000 {
			fmt.Fprintf(&b, "\n%d more; use limit or filter", len(found)-i)
			break
		}
		b.WriteString("\n" + line)
	}
	return toolkit.Text(b.String()), nil
}

// NetworkCaptureFull records requests with bodies, shows one and writes archives.
func (t *Tools) NetworkCaptureFull(ctx context.Context, call *toolkit.Call, in networkapi.NetworkCaptureFullParams, powers networkapi.NetworkCaptureFullPowers) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	c := network.CaptureOf(tab)
	filter, err := fullFilter(ctx, in)
	if err != nil {
		return toolkit.Result{}, err
	}
	switch in.Action {
	case networkapi.NetworkCaptureFullActionStart:
		return startCapture(ctx, c, network.CaptureOptions{Bodies: true, MaxBody: in.MaxBodyBytes})
	case networkapi.NetworkCaptureFullActionStop:
		return stopCapture(c), nil
	case networkapi.NetworkCaptureFullActionClear:
		return toolkit.Textf("cleared %d requests", c.Clear()), nil
	case networkapi.NetworkCaptureFullActionHar:
		har, n, err := archive(ctx, tab, filter)
		if err != nil {
			return toolkit.Result{}, err
		}
		return t.store(ctx, call, powers.FileWrite(), fmt.Sprintf("%d requests", n), file{
			in.Path, artifact.Meta{Name: "network.har", MIME: "application/json"}, har,
		})
	case networkapi.NetworkCaptureFullActionMessages:
		return messages(ctx, c, in)
	case networkapi.NetworkCaptureFullActionGet, networkapi.NetworkCaptureFullActionBody, networkapi.NetworkCaptureFullActionCurl,
		networkapi.NetworkCaptureFullActionTiming:
	}
	if !in.Number.Set {
		return list(tab, c, filter, in.Limit)
	}
	c.WaitForBodies(ctx)
	e, record, err := entry(c, in.Number.Value)
	if err != nil {
		return toolkit.Result{}, err
	}
	switch in.Action {
	case networkapi.NetworkCaptureFullActionBody:
		return body(ctx, e, in)
	case networkapi.NetworkCaptureFullActionCurl:
		return curl(e), nil
	case networkapi.NetworkCaptureFullActionTiming:
		return timing(e, record), nil
	}
	return t.show(ctx, call, powers.FileWrite(), e, in.Path)
}

// archive returns the requests that a filter selects as an HTTP Archive, and how many there are.
func archive(ctx context.Context, tab *browser.Tab, filter network.Filter) (har []byte, n int, err error) {
	c := network.CaptureOf(tab)
	c.WaitForBodies(ctx)
	all := c.Read().Entries
	found, err := filter.Select(all)
	if err != nil {
		return nil, 0, err
	}
	har, err = network.HAR(network.RedactAll(found, all), tab.Version())
	return har, len(found), err
}

func numbers(r network.Record) string {
	if len(r.Entries) == 0 {
		return "none is recorded"
	}
	return fmt.Sprintf("recorded are %d to %d", r.Entries[0].Number, r.Entries[len(r.Entries)-1].Number)
}

// preview is the limit of the shown part of a text body, in bytes.
const preview = 2000

// bodyIndent tells the lines of a body from those of the head.
const bodyIndent = "    "

// show tells all about one request. Its body becomes an artifact when it is more than a few lines,
// or when a path asks for it.
func (t *Tools) show(ctx context.Context, call *toolkit.Call, p power.FileWrite, e network.Entry, path toolkit.Opt[string]) (toolkit.Result, error) {
	var b strings.Builder
	b.WriteString(e.String())
	if e.Remote != "" {
		fmt.Fprintf(&b, "\nfrom %s by %s", e.Remote, e.Protocol)
	}
	head := func(title string, headers []network.Header) {
		if len(headers) > 0 {
			b.WriteString("\n" + title)
		}
		for _, h := range headers {
			fmt.Fprintf(&b, "\n  %s: %s", fence.Line(h.Name), fence.Line(text.ClipBytes(h.Value, 500)))
		}
	}
	head("request", e.RequestHeaders)
	if e.PostData != "" {
		b.WriteString("\n  body: " + fence.Block(text.ClipBytes(e.PostData, preview), bodyIndent))
	}
	head("response", e.ResponseHeader)
	isText := network.IsText(e.MIME) && utf8.Valid(e.Body)
	switch {
	case e.BodyOmitted != "":
		b.WriteString("\n  no body: " + e.BodyOmitted)
		return toolkit.Text(b.String()), nil
	case !e.Done:
		b.WriteString("\n  the body has not arrived yet")
		return toolkit.Text(b.String()), nil
	case len(e.Body) == 0:
		b.WriteString("\n  empty body")
		return toolkit.Text(b.String()), nil
	case isText && len(e.Body) <= preview && !path.Set:
		b.WriteString("\n  body: " + fence.Block(string(e.Body), bodyIndent))
		return toolkit.Text(b.String()), nil
	case isText:
		fmt.Fprintf(&b, "\n  body of %d bytes begins: %s", len(e.Body), fence.Block(text.ClipBytes(string(e.Body), preview), bodyIndent))
	default:
		fmt.Fprintf(&b, "\n  body of %d bytes", len(e.Body))
	}
	return t.store(ctx, call, p, b.String(), file{
		path, artifact.Meta{Name: fmt.Sprintf("body-%d%s", e.Number, extension(e.MIME)), MIME: e.MIME}, e.Body,
	})
}

// file is data for the client: written to its path, or stored as an artifact without one.
type file struct {
	path toolkit.Opt[string]
	meta artifact.Meta
	data []byte
}

// store writes or stores a file and describes it after a text.
func (t *Tools) store(ctx context.Context, call *toolkit.Call, p power.FileWrite, text string, f file) (toolkit.Result, error) {
	if f.path.Set {
		at, err := t.output.For(call.Session.ID).Write(p, f.path.Value, f.data)
		if err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Textf("%s\n%s", text, at), nil
	}
	f.meta.Session = call.Session.ID
	a, err := t.artifacts.Put(ctx, f.meta, bytes.NewReader(f.data))
	if err != nil {
		return toolkit.Result{}, err
	}
	r := toolkit.Textf("%s\n%s", text, a.Line())
	r.Links = []toolkit.Link{{URI: a.URI(), Name: a.Name, MIME: a.MIME, Size: a.Size}}
	return r, nil
}

// extension returns the usual extension of a file of this type.
func extension(mime string) string {
	switch {
	case strings.Contains(mime, "json"):
		return ".json"
	case strings.Contains(mime, "html"):
		return ".html"
	case strings.Contains(mime, "javascript"):
		return ".js"
	case strings.Contains(mime, "css"):
		return ".css"
	case strings.HasPrefix(mime, "image/"):
		kind, _, _ := strings.Cut(strings.TrimPrefix(mime, "image/"), "+")
		return "." + kind
	case strings.HasPrefix(mime, "text/"):
		return ".txt"
	}
	return ".bin"
}
