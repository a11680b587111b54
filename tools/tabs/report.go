package tabs

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/result"
)

const (
	// loadPatience is the time for which a navigation waits for the load event once the document is ready.
	loadPatience = 5 * time.Second
	// maxRedirects is how many addresses of a redirect chain a report names.
	maxRedirects = 3
)

// navigateOptions is how pages are awaited.
func navigateOptions() browser.NavigateOptions {
	return browser.NavigateOptions{LoadTimeout: loadPatience}
}

// report tells where a tab is now: t1 https://example.com/ "Example Domain" 200.
func report(call *toolkit.Call, tab *browser.Tab, nav browser.Navigation) string {
	var b strings.Builder
	at := tab.ID()
	if nav.Dialog != nil && !nav.Committed {
		at += " has not navigated: it is still at"
	}
	fmt.Fprintf(&b, "%s %s %q", at, nav.URL, nav.Title)
	switch {
	case nav.Cached:
		b.WriteString(" from cache, as it was left")
	case nav.Status != 0:
		fmt.Fprintf(&b, " %d", nav.Status)
	}
	if kind, _, _ := strings.Cut(nav.MIME, ";"); kind != "" && kind != "text/html" && nav.Status != 0 {
		b.WriteString(" " + kind)
	}
	if n := len(nav.Redirects); n > 0 {
		b.WriteString("\nredirected from " + strings.Join(nav.Redirects[:min(n, maxRedirects)], ", "))
		if n > maxRedirects {
			fmt.Fprintf(&b, " and %d more", n-maxRedirects)
		}
	}
	if nav.Status == http.StatusUnauthorized {
		b.WriteString("\nthe server asks for a login")
	}
	if d := nav.Dismissed.String(); d != "" {
		b.WriteString("\ndismissed " + d)
	}
	switch {
	case nav.Dialog != nil:
		b.WriteString("\n" + result.Dialog(call, tab.ID(), *nav.Dialog))
	case nav.IsDownload:
		b.WriteString("\nthe address is a download; the tab shows what it showed before")
		if nav.StartedDownload != nil {
			b.WriteString("\n" + result.DownloadStarted(call, *nav.StartedDownload))
		}
	case nav.NoContent:
		b.WriteString("\nthe server sent no page; the tab shows what it showed before")
	case nav.Cut > 0:
		b.WriteString("\n" + result.CutDocument(nav.Cut))
	case !nav.Loaded && tab.Document.TriedToLeave():
		b.WriteString("\nthe page stopped loading when it tried to leave; what had arrived is usable")
	case !nav.Loaded && !nav.SameDocument:
		b.WriteString("\nthe page is usable, but still loading")
	}
	return b.String()
}
