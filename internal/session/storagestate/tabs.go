package storagestate

import (
	"context"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/savedsession"
)

// Tabs returns the open tabs of a session that can be opened again: pages of http and https.
func Tabs(ctx context.Context, s *browser.Session) []savedsession.Tab {
	tabs := []savedsession.Tab{}
	for _, t := range s.Tabs(ctx) {
		if strings.HasPrefix(t.URL, "http://") || strings.HasPrefix(t.URL, "https://") {
			tabs = append(tabs, savedsession.Tab{URL: t.URL, Current: t.Current})
		}
	}
	return tabs
}
