package dialog

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
)

type callKey struct{}

// OfCall marks ctx as that of a client's call, which ends when a dialog opens. Event handlers have no
// such mark: they wait until the page answers again.
func OfCall(ctx context.Context) context.Context { return context.WithValue(ctx, callKey{}, true) }

// Session is the session of a page. Commands of calls fail at once while a dialog keeps the page from
// answering, and are not run later either, but for those that end what an earlier command began.
type Session struct {
	Page
	// Beside runs fn, whose context ends when a dialog opens; with an open one it does not call fn.
	Beside func(ctx context.Context, fn func(ctx context.Context) error) error
	// Explain returns why a command with the context inner of a call failed: the browser or the tab may have ended. nil
	// stays nil.
	Explain func(ctx, inner context.Context, err error) error
}

// Page is a session that can send commands without waiting for an answer.
type Page interface {
	cdp.Session
	Send(ctx context.Context, method string, params any) error
}

// Call implements cdp.Session.
func (s *Session) Call(ctx context.Context, method string, params, res any) error {
	switch {
	case ctx.Value(callKey{}) == nil:
		return s.Page.Call(ctx, method, params, res)
	case isAnsweredByBrowser(method):
		return s.Explain(ctx, ctx, s.Page.Call(ctx, method, params, res))
	}
	sent := false
	err := s.Beside(ctx, func(ctx context.Context) error {
		sent = true
		return s.Page.Call(ctx, method, params, res)
	})
	if !sent && endsWork(method) {
		_ = s.Send(ctx, method, params) // the page runs it when the dialog is closed; the error is that of the dialog
	}
	return err
}

var endings = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(cancel|disable|end|release|remove|stop)`) })

// endsWork reports a command that ends a recording or an observation, or puts back the screen: it must reach the page
// although the call is refused.
func endsWork(method string) bool {
	domain, verb, _ := strings.Cut(method, ".")
	return domain == "Emulation" || domain != "DOMStorage" && endings().MatchString(verb)
}

// isAnsweredByBrowser reports whether the browser's own process answers a command, also behind a dialog.
// Target.setAutoAttach is answered by the page.
func isAnsweredByBrowser(method string) bool {
	domain, _, _ := strings.Cut(method, ".")
	return slices.Contains([]string{"Fetch", "IO", "Storage", "Tracing"}, domain)
}

// Commands are the commands that wait for an answer of a page. The zero value has none.
type Commands struct {
	mu      sync.Mutex
	cancels map[*context.CancelCauseFunc]bool
}

// Add has cancel called by Interrupt until release is called.
func (c *Commands) Add(cancel context.CancelCauseFunc) (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancels == nil {
		c.cancels = make(map[*context.CancelCauseFunc]bool)
	}
	c.cancels[&cancel] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.cancels, &cancel)
	}
}

// Interrupt cancels all commands.
func (c *Commands) Interrupt(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cancel := range c.cancels {
		(*cancel)(cause)
	}
}

// Waiting reports whether a command waits.
func (c *Commands) Waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.cancels) > 0
}
