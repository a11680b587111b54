// Package result renders what handlers return: coded errors as refusals with advice, and the
// effects of actions, dialogs and downloads as short texts.
//
// Advice names a tool only when the client may call it. The package must not know protocols, and it
// decides nothing that a handler or the engine should.
package result

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/browser/download"
	"github.com/callsheet/callsheet/internal/engine/browser/requestlog"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text"
)

// ActOn runs an action on the page of the tab that a call names, or of the client's current tab;
// see [Act].
func ActOn(
	ctx context.Context, call *toolkit.Call, sessions session.Lookup, id toolkit.Opt[string],
	fn func(context.Context, *page.Page) (settle.Effect, error),
) (Outcome, error) {
	set := sessions.Set(call)
	session, tab, err := set.Tab(ctx, id.Value)
	if err != nil {
		return Outcome{}, Refusal(call, err)
	}
	return Act(ctx, call, session, tab, fn)
}

// Act runs an action on a tab's page. It returns the effect, the tabs that the action opened and
// its side effects. A dialog that the action's input opens ends the action and is its effect.
func Act(
	ctx context.Context, call *toolkit.Call, session *browser.Session, tab *browser.Tab,
	fn func(context.Context, *page.Page) (settle.Effect, error),
) (Outcome, error) {
	before := session.TabIDs()
	watch := observeSideEffects(session, tab)
	tab.MarkAction()
	var out Outcome
	err := tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		out.Effect, err = fn(ctx, p)
		return err
	})
	var dialog *browser.DialogError
	if errors.As(err, &dialog) && dialog.During && (out.Element != nil || out.Focus != nil) {
		err = nil // the engine names the element once input is on its way to it
	}
	closed := (*browser.ClosedError)(nil)
	if errors.As(err, &closed) && closed.Tab == tab.ID() && out.Element != nil {
		err, out.Closed = nil, true // as "Close" in a popup does
	}
	if err != nil {
		return out, Refusal(call, err)
	}
	old := func(id string) bool { return slices.Contains(before, id) }
	if slices.ContainsFunc(session.TabIDs(), func(id string) bool { return !old(id) }) {
		waitForDocuments(ctx, session, old)
		out.Opened = slices.DeleteFunc(session.Tabs(ctx), func(t browser.TabInfo) bool { return old(t.ID) })
	}
	out.SideEffects = watch.lines(ctx, call)
	if !out.NewDocument { // else they are those of the next document
		out.SideEffects = append(out.SideEffects, watch.failures()...)
	}
	return out, nil
}

// Outcome has the changes that an action made: the page, the tabs of the session, and its side effects.
type Outcome struct {
	settle.Effect
	Opened      []browser.TabInfo // tabs that the action opened
	SideEffects []string          // what else it began: dialogs, downloads, a file chooser
	Closed      bool              // the action closed its tab
}

// Text describes the outcome, one fact a line: the action ("clicked"), its element, and the
// changes.
func (o Outcome) Text(verb string) string {
	var b strings.Builder
	b.WriteString(verb)
	if o.Element != nil {
		b.WriteString(" " + ActedOn(*o.Element))
	}
	switch {
	case o.Closed:
		b.WriteString("\nthe tab has closed")
	case o.NewDocument:
		fmt.Fprintf(&b, "\nnow at %s %q", o.URL, o.Title)
		if o.Status != 0 {
			fmt.Fprintf(&b, " %d", o.Status)
		}
		b.WriteString("; earlier refs are gone")
	case o.Navigated:
		fmt.Fprintf(&b, "\nnow at %s %q", o.URL, o.Title)
	case o.Detached:
		b.WriteString("\nthe element has left the page")
	}
	for _, t := range o.Opened {
		fmt.Fprintf(&b, "\nopened tab %s %s", t.ID, cmp.Or(t.URL, "(still loading)"))
	}
	for _, line := range o.SideEffects {
		b.WriteString("\n" + line)
	}
	for _, line := range o.Changes {
		b.WriteString("\n" + line)
	}
	if o.Pending != "" {
		b.WriteString("\nnot finished yet: " + o.Pending)
	}
	return b.String()
}

// ActedOn is Element without the focus, which an action gives to nearly everything.
func ActedOn(e document.Element) string {
	e.States = slices.DeleteFunc(slices.Clone(e.States), func(state string) bool { return state == "focused" })
	return Element(e)
}

// Element shows an element in a line: button "Save" [e12] disabled.
func Element(e document.Element) string { return e.Line() }

// Sorted lists a map's keys in order, so that the same page always gives the same result.
func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// documentTimeout bounds the wait for the documents of tabs that an action opened.
const documentTimeout = 3 * time.Second

// waitForDocuments waits until the tabs that are not old have documents, or do not get them in time.
func waitForDocuments(ctx context.Context, session *browser.Session, old func(string) bool) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	for _, id := range slices.DeleteFunc(session.TabIDs(), old) {
		if t, err := session.Tab(ctx, id); err == nil {
			_ = t.Do(ctx, func(ctx context.Context, p *page.Page) error { p.WaitForDocument(ctx); return nil })
		}
	}
}

// sideEffects remembers the open dialogs, downloads and file choosers from before a call.
type sideEffects struct {
	session    *browser.Session
	tab        *browser.Tab
	dialogTabs []*browser.Tab
	downloads  browser.DownloadMark
	choosers   int // file choosers
	requests   browser.Mark
	console    console.Mark
}

// observeSideEffects records the state before a call.
func observeSideEffects(session *browser.Session, tab *browser.Tab) sideEffects {
	w := sideEffects{session: session, tab: tab, dialogTabs: session.TabsWithDialog(), downloads: tab.Activity.Downloads()}
	_, w.choosers = tab.FileChoosers.Latest()
	w.requests, w.console = tab.Activity.Mark(), tab.Console().Mark()
	return w
}

// lines describes the later dialogs, downloads and file choosers, one a line.
func (s sideEffects) lines(ctx context.Context, call *toolkit.Call) []string {
	var lines []string
	for _, t := range s.session.TabsWithDialog() {
		if d := t.Dialogs.Open(); d != nil && !slices.Contains(s.dialogTabs, t) {
			lines = append(lines, Dialog(call, t.ID(), *d))
		}
	}
	for _, d := range s.tab.Activity.DownloadsSince(ctx, s.downloads) {
		lines = append(lines, DownloadStarted(call, d))
	}
	if c, opened := s.tab.FileChoosers.Latest(); c != nil && opened > s.choosers {
		lines = append(lines, fileChooserLine(*c))
	}
	return append(lines, s.tab.Prompts.Take()...)
}

// maxFailures is the number of errors, and of failed requests, that the result of an action names.
const maxFailures = 3

// failures describes the errors that the document reported since the call began, and the requests
// that failed, one a line. A click that has no visible effect is often explained by one.
func (s sideEffects) failures() (lines []string) {
	for _, m := range s.tab.Console().ErrorsSince(s.console) {
		line := "error: "
		if m.Source == console.FromConsole {
			line = "console error: "
		}
		lines = append(lines, line+text.ClipBytes(m.Summary(), 200))
	}
	lines = atMost(lines, "more errors")
	var failed []string
	requests, _ := s.tab.Activity.Requests(s.requests)
	for _, r := range requests {
		if why := failure(r); why != "" {
			failed = append(failed, fmt.Sprintf("request failed: %s %s %s", r.Method, text.ClipBytes(withoutQuery(r.URL), 120), why))
		}
	}
	return append(lines, atMost(failed, "more failed requests")...)
}

func atMost(lines []string, what string) []string {
	if n := len(lines) - maxFailures; n > 0 {
		lines = append(lines[:maxFailures], fmt.Sprintf("%d %s", n, what))
	}
	return lines
}

// failure returns why a request failed, or "" if it did not, or was canceled by the page. Pings
// have no answer that a page waits for.
func failure(r requestlog.Request) string {
	switch {
	case r.Type == network.ResourceTypePing || r.Failure == "net::ERR_ABORTED":
		return ""
	case r.Failure != "":
		return r.Failure
	case r.Status >= 400:
		return strconv.Itoa(r.Status)
	}
	return ""
}

// withoutQuery drops the part of an address that can hold secrets.
func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	return address
}

// fileChooserLine describes a file chooser.
func fileChooserLine(c browser.FileChooser) string {
	if c.Multiple {
		return "the page asks for files; no window is shown, give them to its file input"
	}
	return "the page asks for a file; no window is shown, give it to its file input"
}

// DownloadStarted describes a download and, while it runs, how to wait for it.
func DownloadStarted(call *toolkit.Call, d download.Download) string {
	text := "download " + Download(d)
	if d.State != download.Running {
		return text
	}
	return advise(call, text, toolset.ToolDownloads, "%s waits for it")
}

// Download shows a download in a line: d1 "report.pdf" done, 1234 bytes, /output/report.pdf,
// callsheet://artifact/….
func Download(d download.Download) string {
	text := fmt.Sprintf("%s %q %s", d.ID, text.ClipRunes(d.Name, 120), d.State)
	switch {
	case d.State == download.Running && d.Total > 0:
		text += fmt.Sprintf(", %d of %d bytes", d.Received, d.Total)
	case d.State == download.Running, d.State == download.Done:
		text += fmt.Sprintf(", %d bytes", d.Received)
	}
	if d.Stored.Path != "" {
		text += ", " + d.Stored.Path
	}
	if d.Stored.ID != "" {
		text += ", " + artifact.Scheme + d.Stored.ID
	}
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	return text
}

// Link returns the resource link of an artifact.
func Link(a artifact.Artifact) toolkit.Link {
	return toolkit.Link{URI: a.URI(), Name: a.Name, MIME: a.MIME, Size: a.Size}
}

// answerDialog is the call that answers a dialog.
const answerDialog = `answer it with %s {"accept": true}`

// Dialog describes an open dialog and how to answer it.
func Dialog(call *toolkit.Call, tab string, d dialog.Dialog) string {
	text := fmt.Sprintf("%s is open in tab %s: %q", d.Describe(), tab, d.Message)
	if d.Kind == "prompt" && d.Default != "" {
		text += fmt.Sprintf(" (proposes %q)", d.Default)
	}
	return advise(call, text, toolset.ToolDialog, answerDialog)
}
