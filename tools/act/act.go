// Package act implements the tools of area act: mouse, keyboard and form fields.
//
// It resolves arguments to elements; the engine sends the input.
package act

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/files"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	files    *files.Roots
	vault    *secret.Vault
}

// New makes the handlers; only what lies below roots can be uploaded, and vault has the logins.
func New(sessions session.Lookup, roots *files.Roots, vault *secret.Vault) *Tools {
	return &Tools{sessions: sessions, files: roots, vault: vault}
}

var _ actapi.Handlers = (*Tools)(nil)

// Interact clicks or hovers an element that a ref names or a description matches.
func (t *Tools) Interact(ctx context.Context, call *toolkit.Call, in actapi.InteractParams) (toolkit.Result, error) {
	wait := time.Duration(in.WaitForMs) * time.Millisecond
	out, err := result.ActOn(ctx, call, t.sessions, in.TabID, func(ctx context.Context, p *page.Page) (effect settle.Effect, err error) {
		ctx, stop := boundHungPage(ctx, wait+actTime, &err)
		defer stop()
		return retryStale(in.Query.Set, func() (settle.Effect, error) {
			ref, err := elementArgument{in.Ref, in.Query}.find(ctx, p, wait)
			if err != nil {
				return settle.Effect{}, err
			}
			return pointerAction(ctx, p, input.Target{Ref: ref, Moving: in.Moving}, in.Action)
		})
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(out.Text(pastTense(string(in.Action))) + result.Then(ctx, call, t.sessions, in.TabID, result.Unasked(string(in.Then.Value), out.NewDocument))), nil
}

// pointerAction performs an action of interact.
func pointerAction(ctx context.Context, p *page.Page, target input.Target, action actapi.InteractAction) (settle.Effect, error) {
	switch action {
	case actapi.InteractActionDoubleClick:
		return p.Widget.Click(ctx, target, input.ClickOptions{Count: 2})
	case actapi.InteractActionRightClick:
		return p.Widget.Click(ctx, target, input.ClickOptions{Button: input.ButtonRight})
	case actapi.InteractActionMiddleClick:
		return p.Widget.Click(ctx, target, input.ClickOptions{Button: input.ButtonMiddle})
	case actapi.InteractActionHover:
		return p.Mouse.Hover(ctx, target)
	case actapi.InteractActionClick:
	}
	return p.Widget.Click(ctx, target, input.ClickOptions{})
}

// retryStale repeats an action on an element that a description found, when the page replaced the
// element meanwhile: the description still holds. Nothing was done to a stale ref.
func retryStale(described bool, act func() (settle.Effect, error)) (settle.Effect, error) {
	const attempts = 3
	for attempt := 1; ; attempt++ {
		effect, err := act()
		if _, stale := errors.AsType[*document.StaleRefError](err); !stale || !described || attempt == attempts {
			return effect, err
		}
	}
}

// elementArgument names an element by a ref or by a description.
type elementArgument struct{ ref, query toolkit.Opt[string] }

// find returns the ref that the argument is, or that of the element that its description means; ""
// when the call has neither.
func (e elementArgument) find(ctx context.Context, p *page.Page, wait time.Duration) (string, error) {
	described := e.query
	if locate.IsSelector(e.ref.Value) {
		described = e.ref
	}
	if !described.Set {
		return e.ref.Value, nil
	}
	return name(ctx, p, described.Value, locate.WantAny, wait)
}

// withSelector returns the argument with the ref of the first element that a CSS selector selects, where
// the call has a selector and no ref.
func (e elementArgument) withSelector(ctx context.Context, p *page.Page, selector toolkit.Opt[string]) (elementArgument, error) {
	if !selector.Set || e.ref.Set {
		return e, nil
	}
	found, _, err := p.Locate.Query(ctx, locate.QueryOptions{CSS: selector.Value, PierceShadow: true})
	if err != nil {
		return e, err
	}
	if len(found) == 0 {
		return e, &locate.NoMatchError{Query: selector.Value}
	}
	e.ref = toolkit.Some(found[0].Ref)
	return e, nil
}

// name finds the one element that a description names.
func name(ctx context.Context, p *page.Page, query string, want locate.Want, wait time.Duration) (ref string, err error) {
	ctx, stop := boundHungPage(ctx, wait+answerTime, &err)
	defer stop()
	m, err := p.Locate.Name(ctx, query, locate.FindOptions{Want: want, Wait: wait, Insist: wait > fieldWait})
	return m.Ref, err
}

// FormInput sets one field.
func (t *Tools) FormInput(ctx context.Context, call *toolkit.Call, in actapi.FormInputParams) (toolkit.Result, error) {
	out, err := result.ActOn(ctx, call, t.sessions, in.TabID, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		ref := in.Ref.Value
		if locate.IsSelector(ref) {
			in.Query = in.Ref
		}
		if in.Query.Set {
			var err error
			if ref, err = findField(ctx, p, in.Query.Value, in.Value, fieldWait); err != nil {
				return settle.Effect{}, err
			}
		}
		return p.Widget.SetValue(ctx, ref, in.Value)
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(out.Text("set") + result.Then(ctx, call, t.sessions, in.TabID, result.Unasked(string(in.Then.Value), out.NewDocument))), nil
}

// pastTense turns an action's name into what was done: double_click → double-clicked.
func pastTense(action string) string {
	verb := strings.ReplaceAll(action, "_", "-")
	switch {
	case strings.HasSuffix(verb, "r"):
		return verb + "ed"
	case strings.HasSuffix(verb, "e"):
		return verb + "d"
	}
	return verb + "ed"
}

// How long a page may take beyond the wait that the caller allowed: to list its elements, and to
// take an action, whose navigation and requests the engine awaits for at most 20 s.
const (
	answerTime = 10 * time.Second
	actTime    = 25 * time.Second
)

// boundHungPage bounds the part of a call that waits for the page. stop, which the caller defers,
// replaces *err when the page has not answered in this time: the script of a hung page never lets
// it.
func boundHungPage(ctx context.Context, limit time.Duration, err *error) (bounded context.Context, stop func()) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	return bounded, func() {
		if *err != nil && ctx.Err() == nil && errors.Is(bounded.Err(), context.DeadlineExceeded) {
			*err = toolkit.Refuse(toolkit.Timeout, fmt.Sprintf(
				"the page has not answered for %v: a script of it may not end, or it is too large; reload or close it", limit),
				toolkit.Field{Name: "ms", Value: limit.Milliseconds()})
		}
		cancel()
	}
}
