package page

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// SecretFiller fills references to secrets into text that is typed into a document of an origin. Its
// errors are coded.
type SecretFiller interface {
	Fill(ctx context.Context, text, origin string) (string, error)
	// AllowsScripts reports whether scripts of callers may run on documents that were filled.
	AllowsScripts() bool
}

type secretsKey struct{}

// WithSecrets returns a context in which actions type secrets by their references.
func WithSecrets(ctx context.Context, f SecretFiller) context.Context {
	return context.WithValue(ctx, secretsKey{}, f)
}

func secretsOf(ctx context.Context) SecretFiller {
	f, _ := ctx.Value(secretsKey{}).(SecretFiller)
	return f
}

// NamesSecret reports whether a text has a reference to a secret or to a one-time code.
func NamesSecret(text string) bool {
	return strings.Contains(text, "{") && secretReference().MatchString(text)
}

var secretReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(secret|totp):[^{}\s]*\}`) })

// FillSecrets fills the references of a text in for an origin, for what is sent and not typed. Without a
// SecretFiller in the context it returns the text.
func FillSecrets(ctx context.Context, text, origin string) (string, error) {
	if f := secretsOf(ctx); f != nil && NamesSecret(text) {
		return f.Fill(ctx, text, origin)
	}
	return text, nil
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
func (p *Page) BeginScript(ctx context.Context) error {
	related := append(p.related(), p)
	f := secretsOf(ctx)
	for _, o := range related {
		if (f == nil || !f.AllowsScripts()) && o.tracker.isMarked(markFilled) {
			return &ScriptOnFilledError{}
		}
	}
	for _, o := range related {
		o.tracker.mark(markScripted)
	}
	return nil
}

// beginFilling notes that the document gets a secret. It refuses that where a script of the caller could
// read it.
func (p *Page) beginFilling(ctx context.Context) error {
	if err := p.findLoader(ctx); err != nil {
		return err
	}
	if f := secretsOf(ctx); f != nil && !f.AllowsScripts() {
		if p.ScriptSource != nil {
			if reason := p.ScriptSource(); reason != "" {
				return &ScriptOnFilledError{Typing: true, Reason: reason}
			}
		}
		for _, o := range append(p.related(), p) {
			if o.tracker.isMarked(markScripted) {
				return &ScriptOnFilledError{Typing: true}
			}
		}
	}
	p.tracker.mark(markFilled)
	return nil
}

func (p *Page) related() []*Page {
	if p.Related == nil {
		return nil
	}
	return p.Related()
}

// findLoader makes sure that the loader of the document is known.
func (p *Page) findLoader(ctx context.Context) error {
	if p.tracker.committedLoader() != "" {
		return nil
	}
	if err := p.enableDomains(ctx); err != nil {
		return err
	}
	_, loader, err := p.topFrame(ctx)
	if err == nil {
		p.tracker.foundLoader(loader)
	}
	return err
}

// secretInWidget returns the error for a secret that is to be set in another way than by inserting text.
func secretInWidget(ref string) error {
	return &NotEditableError{Ref: ref, Reason: "a secret is typed into a field for text, and this is another; focus it and type"}
}

// fillFor fills the secrets of a text in for the origin that the operation reads from the page. It returns
// the origin, which the engine compares again as it inserts the text; "" for a text without secrets.
func (p *Page) fillFor(ctx context.Context, w *world, operation string, argument map[string]any, text string) (filled, origin string, err error) {
	f := secretsOf(ctx)
	if f == nil || !NamesSecret(text) {
		return text, "", nil
	}
	var at struct {
		Origin string `json:"origin"`
	}
	if err := p.evaluateIn(ctx, w, operation, argument, &at); err != nil {
		return "", "", err
	}
	if filled, err = f.Fill(ctx, text, at.Origin); err != nil {
		return "", "", err
	}
	return filled, at.Origin, p.beginFilling(ctx)
}

// insertSecret inserts text at the focus of a document, in the place of what is selected, unless another
// document has the focus, or one of another origin. The engine inserts it, and not the browser: a frame
// that takes the focus meanwhile gets nothing.
func (p *Page) insertSecret(ctx context.Context, w *world, text, origin string) error {
	err := p.evaluateIn(ctx, w, "insertSecret", map[string]any{"text": text, "origin": origin}, nil)
	if r, ok := errors.AsType[*engineError](err); ok && r.kind == "focusElsewhere" {
		return &NotEditableError{Reason: "the focus went to another document, which gets no secret"}
	}
	if err != nil {
		return fmt.Errorf("typing a secret: %w", err)
	}
	return nil
}

// typeSecret types text with secrets at the focus, one character after the other, so that fields for a code
// that have a box for each digit pass the focus on. Line ends and tabs are keys.
func (p *Page) typeSecret(ctx context.Context, w *world, text string) error {
	filled, origin, err := p.fillFor(ctx, w, "focusOrigin", nil, text)
	if err != nil {
		return p.translate(ctx, "", err)
	}
	for _, r := range filled {
		switch r {
		case '\r':
		case '\n', '\t':
			err = p.typeText(ctx, string(r))
		default:
			err = p.insertSecret(ctx, w, string(r), origin)
		}
		if err != nil {
			return p.translate(ctx, "", err)
		}
	}
	return nil
}
