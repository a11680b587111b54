package connection

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/connectionapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/text"
)

// QueryElements shows the elements that a selector matches.
func (t *Tools) QueryElements(ctx context.Context, call *toolkit.Call, in connectionapi.QueryElementsParams) (toolkit.Result, error) {
	_, tab, err := t.sessions.Current(ctx, call, in.ConnectionID)
	if err != nil {
		return toolkit.Result{}, err
	}
	var found locate.SelectionResult
	err = tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		found, err = p.Locate.Select(ctx, locate.Selection{
			CSS: in.Selector, Text: in.TextContains.Value, Hidden: in.IncludeHidden, Limit: in.Limit,
		})
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	if found.Kept == 0 {
		return toolkit.Text(noMatch(in, found)), nil
	}
	lines := []string{fmt.Sprintf("%d of %d elements", found.Kept, found.Matched)}
	if found.Kept == found.Matched {
		lines[0] = fmt.Sprintf("%d elements", found.Matched)
	}
	if len(found.Elements) < found.Kept {
		lines[0] += fmt.Sprintf(", the first %d", len(found.Elements))
	}
	for _, e := range found.Elements {
		lines = append(lines, fmt.Sprintf("%d %s", e.Index, element(e.ElementInfo)))
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// noMatch says why no element is left, and what nearly was one.
func noMatch(in connectionapi.QueryElementsParams, found locate.SelectionResult) string {
	switch {
	case found.Matched == 0 && len(found.Similar) == 0:
		return fmt.Sprintf("nothing matches %s, and nothing in the page looks like it", in.Selector)
	case found.Matched == 0:
		var near []string
		for _, n := range found.Similar {
			near = append(near, fmt.Sprintf("%s (%d)", n.Selector, n.Matches))
		}
		return fmt.Sprintf("nothing matches %s; the page has %s", in.Selector, strings.Join(near, ", "))
	case found.Hidden == found.Matched && !in.IncludeHidden:
		return fmt.Sprintf("%d elements match %s, all hidden; include_hidden shows them", found.Matched, in.Selector)
	}
	return fmt.Sprintf("%d elements match %s, %d of them hidden; none says %q", found.Matched, in.Selector, found.Hidden, in.TextContains.Value)
}

// element shows an element with what a selector can name: button "Save" [e3] <button id=save
// class="a b"> in form "Order".
func element(e document.ElementInfo) string {
	var b strings.Builder
	b.WriteString(result.Element(e.Element))
	b.WriteString(" <" + e.Tag)
	for _, name := range result.Sorted(e.Attributes) {
		fmt.Fprintf(&b, " %s=%q", name, text.ClipRunes(e.Attributes[name], 80))
	}
	b.WriteString(">")
	if shown := text.ClipRunes(e.Text, 100); shown != "" && shown != e.Name {
		fmt.Fprintf(&b, " text %q", shown)
	}
	if e.Path != "" {
		b.WriteString(" in " + e.Path)
	}
	if !e.Visible {
		b.WriteString(" hidden")
	} else {
		fmt.Fprintf(&b, " at %.0f,%.0f %.0f×%.0f", e.Box.X, e.Box.Y, e.Box.Width, e.Box.Height)
	}
	return b.String()
}

// ClickElement clicks the match of a selector with that index.
func (t *Tools) ClickElement(ctx context.Context, call *toolkit.Call, in connectionapi.ClickElementParams) (toolkit.Result, error) {
	session, tab, err := t.sessions.Current(ctx, call, in.ConnectionID)
	if err != nil {
		return toolkit.Result{}, err
	}
	out, err := result.Act(ctx, call, session, tab, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		e, err := p.Locate.ElementAt(ctx, in.Selector, in.Index)
		if err != nil {
			return settle.Effect{}, err
		}
		return p.Widget.Click(ctx, input.Target{Ref: e.Ref}, input.ClickOptions{})
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(outcomeText(out, "clicked", in.IncludeContext)), nil
}

// FillElement sets a field that a selector matches, and may submit its form with Enter as a person
// would.
func (t *Tools) FillElement(ctx context.Context, call *toolkit.Call, in connectionapi.FillElementParams) (toolkit.Result, error) {
	session, tab, err := t.sessions.Current(ctx, call, in.ConnectionID)
	if err != nil {
		return toolkit.Result{}, err
	}
	verb := "filled"
	out, err := result.Act(ctx, call, session, tab, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		e, err := p.Locate.ElementAt(ctx, in.Selector, in.Index)
		if err != nil {
			return settle.Effect{}, err
		}
		filled, err := p.Widget.SetValue(ctx, e.Ref, in.Text)
		if err != nil || !in.Submit {
			return filled, err
		}
		if _, err := p.Keyboard.Focus(ctx, filled.Element.Ref); err != nil {
			return filled, err
		}
		verb = "filled and submitted"
		submitted, err := p.Keyboard.Press(ctx, "Enter")
		submitted.Element = filled.Element
		return submitted, err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(outcomeText(out, verb, in.IncludeContext)), nil
}

// outcomeText is an outcome's text, or only what was done and where that led.
func outcomeText(out result.Outcome, verb string, context bool) string {
	if !context {
		out.Changes, out.Opened, out.Pending = nil, nil, ""
	}
	return out.Text(verb)
}

// InspectElement finds an element that is described and offers selectors for it.
func (t *Tools) InspectElement(ctx context.Context, call *toolkit.Call, in connectionapi.InspectElementParams) (toolkit.Result, error) {
	_, tab, err := t.sessions.Current(ctx, call, in.ConnectionID)
	if err != nil {
		return toolkit.Result{}, err
	}
	d := locate.Description{
		Words: in.Description.Value, Text: in.TextContains.Value, Tag: in.Tag.Value, Near: in.Near.Value,
		Direction: string(in.Direction.Value), StableOnly: in.StrictStability, Limit: in.Limit,
	}
	for _, a := range in.Attributes {
		name, value, _ := strings.Cut(a, "=")
		d.Attributes = append(d.Attributes, locate.Attribute{Name: strings.TrimSpace(name), Value: strings.Trim(strings.TrimSpace(value), `"'`)})
	}
	var found []locate.SelectorSuggestion
	var total int
	err = tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		found, total, err = p.Locate.SuggestSelectors(ctx, d)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	if total == 0 {
		return toolkit.Text("no visible element fits the description"), nil
	}
	lines := []string{fmt.Sprintf("%d fit, the best %d", total, len(found))}
	for _, n := range found {
		lines = append(lines, element(n.ElementInfo))
		if len(n.Selectors) == 0 {
			lines = append(lines, "  no selector for it is likely to last")
		}
		for _, s := range n.Selectors {
			line := fmt.Sprintf("  %3d %s", s.Stability, s.Selector)
			if s.Matches > 1 {
				line += fmt.Sprintf(" index %d of %d", s.Index, s.Matches)
			}
			lines = append(lines, line)
		}
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}
