package secret

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/track"
	"github.com/callsheet/callsheet/internal/fault"
)

// Guard notes which documents of a tab were filled with a secret and on which a script of the caller ran.
type Guard struct {
	doc *document.Document
	// Related returns the guards of tabs whose documents may reach this one by script. ScriptSource
	// returns why a script of the caller may run in any document of the tab, or "". The owner sets both
	// before the first call.
	Related      func() []*Guard
	ScriptSource func() string
	// Scripted says whether a script of the caller has run in the session. The owner shares it among the session's tabs.
	Scripted *atomic.Bool
}

// New makes the guard of a document.
func New(d *document.Document) *Guard {
	d.SecretTexts = func(ctx context.Context, seen int) (int, map[string]string) {
		if f := FillerOf(ctx); f != nil {
			return f.Typed(seen)
		}
		return 0, nil
	}
	return &Guard{doc: d, Scripted: new(atomic.Bool)}
}

// Filler fills references to secrets into text that is typed into a document of an origin. Its
// errors are coded.
type Filler interface {
	Fill(ctx context.Context, text, origin string) (string, error)
	// Typed returns the forms of all texts that were filled in, with what results show in their place, and a
	// version that grows with them; none of versions up to seen.
	Typed(seen int) (version int, forms map[string]string)
	// Redact replaces the secrets in a text by the placeholders that results show.
	Redact(text string) string
	// RedactTexts is Redact for texts that follow each other, over which a secret may be spread.
	RedactTexts(texts []string) []string
	// AllowsScripts reports whether scripts of callers may run on documents that were filled.
	AllowsScripts() bool
}

type secretsKey struct{}

// With returns a context in which actions type secrets by their references.
func With(ctx context.Context, f Filler) context.Context {
	return context.WithValue(ctx, secretsKey{}, f)
}

// FillerOf returns the filler of a context; nil where actions type no secrets.
func FillerOf(ctx context.Context) Filler {
	f, _ := ctx.Value(secretsKey{}).(Filler)
	return f
}

// NamedIn reports whether a text has a reference to a secret or to a one-time code.
func NamedIn(text string) bool {
	return strings.Contains(text, "{") && secretReference().MatchString(text)
}

var secretReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(secret|totp):[^{}\s]*\}`) })

// Fill fills the references of a text in for an origin, for what is sent and not typed. Without a
// SecretFiller in the context it returns the text.
func Fill(ctx context.Context, text, origin string) (string, error) {
	if f := FillerOf(ctx); f != nil && NamedIn(text) {
		return f.Fill(ctx, text, origin)
	}
	return text, nil
}

// Shown returns the function that makes of a text of a page what results show of it: a pattern of the caller that
// matched the text itself would tell a secret part by part.
func Shown(ctx context.Context) func(string) string {
	if f := FillerOf(ctx); f != nil {
		return f.Redact
	}
	return func(text string) string { return text }
}

// ShownTexts is Shown for texts that follow each other.
func ShownTexts(ctx context.Context) func([]string) []string {
	if f := FillerOf(ctx); f != nil {
		return f.RedactTexts
	}
	return func(texts []string) []string { return texts }
}

// ScriptOnFilledError says that a script would run on a document that was filled with a secret, or that a
// secret would be typed into a document on which a script of the caller has run.
type ScriptOnFilledError struct {
	// Typing says that it is the secret that was refused.
	Typing bool
	// Reason says why a script of the caller may run in the document; "" says that one has run.
	Reason string
}

func (e *ScriptOnFilledError) Error() string {
	if !e.Typing {
		return "a secret was typed into this document, or into one that its scripts can reach, so no script of yours runs on it until the tab has left it: " +
			"read it with the reading tools, or navigate; an operator allows scripts with --scripts-after-secrets"
	}
	reason := e.Reason
	if reason == "" {
		reason = "a script of yours has run on this document, or on one that can reach it; load it anew and type again"
	}
	return reason + ": nothing was typed; an operator allows it with --scripts-after-secrets"
}

// Code is POLICY_DENIED.
func (*ScriptOnFilledError) Code() codes.Code { return codes.PolicyDenied }

// Fields name the surface.
func (*ScriptOnFilledError) Fields() []fault.Field {
	return []fault.Field{{Name: "surface", Value: "secret"}}
}

// BeginScript notes that a script of the caller runs on the document, and on those that it can reach. It
// refuses that on documents with secrets.
//
// It is safe for concurrent use.
func (g *Guard) BeginScript(ctx context.Context) error {
	if err := g.CheckFilled(ctx); err != nil {
		return err
	}
	g.Scripted.Store(true)
	for _, o := range append(g.related(), g) {
		o.doc.Tracker.Mark(track.MarkScripted)
	}
	return nil
}

// CheckFilled returns the error of BeginScript, and notes nothing: where no script of a caller may run, no caller may
// read the values of the page's own scripts either.
func (g *Guard) CheckFilled(ctx context.Context) error {
	f := FillerOf(ctx)
	for _, o := range append(g.related(), g) {
		if (f == nil || !f.AllowsScripts()) && o.doc.Tracker.IsMarked(track.MarkFilled) {
			return &ScriptOnFilledError{}
		}
	}
	return nil
}

// BeginFilling notes that the document gets a secret. It refuses that where a script of the caller could
// read it.
func (g *Guard) BeginFilling(ctx context.Context) error {
	if err := g.doc.FindLoader(ctx); err != nil {
		return err
	}
	if f := FillerOf(ctx); f != nil && !f.AllowsScripts() {
		if g.ScriptSource != nil {
			if reason := g.ScriptSource(); reason != "" {
				return &ScriptOnFilledError{Typing: true, Reason: reason}
			}
		}
		for _, o := range append(g.related(), g) {
			if o.doc.Tracker.IsMarked(track.MarkScripted) {
				return &ScriptOnFilledError{Typing: true}
			}
		}
	}
	g.doc.Tracker.Mark(track.MarkFilled)
	return nil
}

// related returns the guards of the tabs that the owner names.
func (g *Guard) related() []*Guard {
	if g.Related == nil {
		return nil
	}
	return g.Related()
}

// FillFor fills the secrets of a text in for the origin that the operation reads from the page. It returns
// the origin, which the engine compares again as it inserts the text; "" for a text without secrets.
func (g *Guard) FillFor(ctx context.Context, w *document.World, operation string, argument map[string]any, text string) (filled, origin string, err error) {
	f := FillerOf(ctx)
	if f == nil || !NamedIn(text) {
		return text, "", nil
	}
	var at struct {
		Origin string `json:"origin"`
		Worker bool   `json:"worker"`
	}
	if err := g.doc.EvaluateIn(ctx, w, operation, argument, &at); err != nil {
		return "", "", err
	}
	if filled, err = f.Fill(ctx, text, at.Origin); err != nil {
		return "", "", err
	}
	if at.Worker && g.Scripted.Load() && !f.AllowsScripts() {
		return "", "", &ScriptOnFilledError{Typing: true, Reason: "a service worker answers for this document from what it stores, " +
			"and a script of yours, which could change that, has run in this session; page_reload with ignoreCache loads the document without it"}
	}
	return filled, at.Origin, g.BeginFilling(ctx)
}
