package page

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/chromedp/kb"
)

// SetValue gives a field a value, whatever kind of field it is: text is
// replaced by real input, so that the page's own script sees what typing would
// show it (its change event comes, as for a person, when the focus leaves);
// lists take an option's value or label, one per line where several may be
// chosen; checkboxes and switches take true or false; dates, colours and
// ranges take their HTML formats.
//
// It fails with [NotEditableError], [ValueRefusedError] or [OptionNotFoundError],
// and as [Page.Click] where a checkbox has to be clicked.
func (p *Page) SetValue(ctx context.Context, ref, value string) (Effect, error) {
	n, err := p.known(ref)
	if err != nil {
		return Effect{}, err
	}
	var todo struct {
		Plan    string   `json:"plan"`
		Same    bool     `json:"same"`
		Element *Element `json:"element"`
	}
	// The mark is taken before: setting a list happens inside the call.
	if _, err := p.install(ctx); err != nil {
		return Effect{}, fmt.Errorf("setting %s: %w", ref, p.refuse(ctx, ref, err))
	}
	a := p.begin(0)
	if err := p.ask(ctx, "edit", map[string]any{"n": n, "value": value}, &todo); err != nil {
		err = p.refuse(ctx, ref, err)
		if refused, ok := errors.AsType[*ValueRefusedError](err); ok {
			refused.Value = value
		}
		return Effect{}, fmt.Errorf("setting %s: %w", ref, err)
	}
	a.element = todo.Element
	switch {
	case todo.Plan == "click":
		return p.Click(ctx, Target{Ref: ref}, ClickOptions{})
	case todo.Plan == "insert" && !todo.Same && value != "":
		err = p.insert(ctx, value)
	case todo.Plan == "insert" && !todo.Same:
		err = p.stroke(ctx, chord{key: kb.Keys['\b']})
	}
	if err != nil {
		return Effect{Element: todo.Element}, fmt.Errorf("setting %s: %w", ref, err)
	}
	return p.settle(ctx, a)
}
