package person

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

func isWeb(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// readHistory reads the history of the tab; nil when the page is gone.
func (t *tab) readHistory(ctx context.Context) []*cdppage.NavigationEntry {
	ctx, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	history, err := cdp.Call(ctx, t.session, cdppage.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return nil
	}
	t.current, t.entries = int(history.CurrentIndex), t.entries[:0]
	for _, e := range history.Entries {
		t.entries = append(t.entries, e.ID)
	}
	return history.Entries
}

// pagesOwn are the transitions that links, forms and scripts of a page cause.
func pagesOwn() []cdppage.TransitionType {
	return []cdppage.TransitionType{cdppage.TransitionTypeLink, cdppage.TransitionTypeFormSubmit, cdppage.TransitionTypeAutoSubframe, cdppage.TransitionTypeManualSubframe}
}

// onNavigated tells what the person did with the browser's own controls, which no event of the page shows,
// from what the page did for the last step. The address is that of the event: by now the browser may show another one,
// which belongs to a later step.
func (r *Recorder) onNavigated(f *tab, url string, newDocument bool) {
	f.url = url
	before, index := slices.Clone(f.entries), f.current
	entries := f.readHistory(r.ctx)
	if f.current >= len(entries) {
		return
	}
	now := entries[f.current]
	byPage := f.requested || f.opening
	if newDocument {
		f.requested, f.opening = false, false
	}
	at := place{tab: f.tab.ID(), url: url}
	was := slices.Index(before, now.ID)
	switch {
	case byPage || !isWeb(now.URL):
		if !newDocument {
			f.requested = false
		}
	case was < 0 && newDocument && !slices.Contains(pagesOwn(), now.TransitionType):
		address := cmp.Or(webAddress(now.UserTypedURL), now.URL)
		r.script.plain(at, recorder.ManualStep{Tool: toolset.ToolNavigate, Args: map[string]any{"url": address}, Summary: "went to " + address})
	case was >= 0 && was != index:
		r.travel(at, was-index)
		return
	case was >= 0 && newDocument && now.TransitionType == cdppage.TransitionTypeReload:
		r.script.plain(at, recorder.ManualStep{Tool: toolset.ToolPageReload, Args: map[string]any{}, Summary: "reloaded the page"})
	}
	r.script.moved(f.tab.ID(), url)
}

// travel records that the person went through the history.
func (r *Recorder) travel(at place, delta int) {
	direction := "forward"
	if delta < 0 {
		direction, delta = "back", -delta
	}
	for range delta {
		r.script.plain(at, recorder.ManualStep{Tool: toolset.ToolNavigate, Args: map[string]any{"url": direction}, Summary: "went " + direction})
	}
}

// onNavigation handles the beginning of a navigation that the page hears of. Its end is no news then.
func (r *Recorder) onNavigation(f *tab, at place, e *event) {
	if e.ByPerson && e.Delta != 0 {
		r.travel(at, e.Delta)
	}
	f.requested = f.requested || !e.ByPerson || e.Delta != 0
}

// webAddress returns an address that was typed with its scheme, or "".
func webAddress(typed string) string {
	if isWeb(typed) {
		return typed
	}
	return ""
}

// onDialogClosed records how the person answered a dialog.
func (r *Recorder) onDialogClosed(f *tab, ev *cdppage.EventJavascriptDialogClosed) {
	kind := f.dialog
	f.dialog = ""
	if kind == "" || kind == cdppage.DialogTypeBeforeunload {
		return
	}
	args := map[string]any{"accept": ev.Result}
	if kind == cdppage.DialogTypePrompt && ev.Result {
		args["text"] = ev.UserInput
	}
	r.script.plain(place{tab: f.tab.ID(), url: f.url}, recorder.ManualStep{
		Tool: toolset.ToolDialog, Args: args, Summary: "answered a dialog",
	})
}
