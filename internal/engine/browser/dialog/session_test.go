package dialog

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
)

// sentCommands is a page that notes what it is sent without waiting for an answer.
type sentCommands struct {
	cdp.Session
	methods []string
}

func (p *sentCommands) Send(_ context.Context, method string, _ any) error {
	p.methods = append(p.methods, method)
	return nil
}

// What a call is refused behind a dialog is not done when that closes; what ends an earlier command is.
func TestRefusedCommandsAreNotRunLater(t *testing.T) {
	t.Parallel()
	var page sentCommands
	open := errors.New("a dialog is open")
	s := Session{Page: &page, Beside: func(context.Context, func(context.Context) error) error { return open }}
	ends := []string{"Profiler.stop", "Page.stopScreencast", "Network.disable", "Page.removeScriptToEvaluateOnNewDocument", "Emulation.setDeviceMetricsOverride"}
	acts := []string{"Runtime.evaluate", "Page.navigate", "Page.captureScreenshot", "Profiler.start", "DOMStorage.setDOMStorageItem", "DOMStorage.removeDOMStorageItem", "WebMCP.invokeTool"}
	for _, method := range slices.Concat(acts, ends) {
		if err := s.Call(OfCall(t.Context()), method, nil, nil); !errors.Is(err, open) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if !slices.Equal(page.methods, ends) {
		t.Errorf("the page was sent %q, want %q", page.methods, ends)
	}
}
