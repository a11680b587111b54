// Package styles implements the tools of area styles: why an element looks as it does.
//
// It finds the element and renders what the engine explains; it must not know how the browser applies
// rules.
package styles

import (
	"context"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/stylesapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/styles"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
)

// findWait is the time for which an element that is named by words is waited for.
const findWait = 3 * time.Second

// Tools are the handlers of the area.
type Tools struct{ sessions session.Lookup }

// New makes the handlers.
func New(sessions session.Lookup) *Tools { return &Tools{sessions: sessions} }

var _ stylesapi.Handlers = (*Tools)(nil)

// Styles explains the declarations of an element.
func (t *Tools) Styles(ctx context.Context, call *toolkit.Call, in stylesapi.StylesParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	var out toolkit.Result
	err = t.sessions.Do(ctx, call, toolkit.Some(tab.ID()), func(ctx context.Context, p *page.Page) error {
		ref, err := t.element(ctx, p, in)
		if err != nil {
			return err
		}
		found, err := styles.Explain(ctx, tab, p, ref, styles.Question{Properties: in.Properties, Pseudo: in.Pseudo.Value})
		if err != nil {
			return err
		}
		r := renderer{pseudo: in.Pseudo.Value}
		if r.elements, err = p.Locate.Ancestors(ctx, ref, r.levels(found)); err != nil {
			return err
		}
		out = toolkit.Text(result.Quote(r.explanation(found)))
		return nil
	})
	return out, err
}

// element returns the ref of the element that a call names.
func (t *Tools) element(ctx context.Context, p *page.Page, in stylesapi.StylesParams) (string, error) {
	switch {
	case in.Selector.Set:
		found, _, err := p.Locate.Query(ctx, locate.QueryOptions{CSS: in.Selector.Value, PierceShadow: true})
		if err == nil && len(found) == 0 {
			err = &locate.NoMatchError{Query: in.Selector.Value}
		}
		if err != nil {
			return "", err
		}
		return found[0].Ref, nil
	case !in.Query.Set:
		return p.Locate.Ref(ctx, in.Ref.Value)
	}
	m, err := p.Locate.Name(ctx, in.Query.Value, locate.FindOptions{Wait: findWait})
	return m.Ref, err
}
