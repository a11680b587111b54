package debugger

import (
	"context"
	"fmt"
	"slices"

	cdpdebugger "github.com/chromedp/cdproto/debugger"
)

// Exceptions selects the exceptions that pause the page.
type Exceptions string

// The selections.
const (
	ExceptionsNone     Exceptions = "none"
	ExceptionsUncaught Exceptions = "uncaught"
	ExceptionsAll      Exceptions = "all" // caught ones too
)

// PauseOnExceptions selects the exceptions that pause the page.
func (d *Debugger) PauseOnExceptions(ctx context.Context, which Exceptions) error {
	return d.command(ctx, true, func(ctx context.Context) error {
		err := call(ctx, d.session, cdpdebugger.SetPauseOnExceptions, cdpdebugger.SetPauseOnExceptionsParams{
			State: cdpdebugger.SetPauseOnExceptionsState(which),
		})
		if err != nil {
			return fmt.Errorf("pause on exceptions: %w", err)
		}
		d.mu.Lock()
		d.settings.exceptions = which
		d.mu.Unlock()
		return nil
	})
}

// Ignore replaces the patterns of ignored scripts (see Line). Steps, exceptions and breakpoints do
// not pause in them.
func (d *Debugger) Ignore(ctx context.Context, patterns []string) error {
	return d.command(ctx, true, func(ctx context.Context) error { return d.applyIgnored(ctx, patterns) })
}

// applyIgnored sets the ignored scripts and adds Callsheet's own scripts.
func (d *Debugger) applyIgnored(ctx context.Context, patterns []string) error {
	list, tell := []string{"^" + internalScriptPrefix}, false
	for _, text := range patterns {
		p, err := parsePattern(text)
		if err != nil {
			return err
		}
		list, tell = append(list, p.regex()), tell || p.tells()
	}
	if tell {
		if err := d.tab.Scripts.Begin(ctx); err != nil {
			return err
		}
	}
	if err := call(ctx, d.session, cdpdebugger.SetBlackboxPatterns, cdpdebugger.SetBlackboxPatternsParams{Patterns: list}); err != nil {
		return fmt.Errorf("ignore scripts: %w", err)
	}
	d.mu.Lock()
	d.settings.ignored, d.settings.ignoredTell = slices.Clone(patterns), tell
	d.mu.Unlock()
	return nil
}

// Ignored returns the patterns of ignored scripts.
func (d *Debugger) Ignored() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.settings.ignored)
}

// Exceptions returns the selection of exceptions that pause the page.
func (d *Debugger) Exceptions() Exceptions {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.settings.exceptions
}
