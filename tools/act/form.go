package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
)

// FillForm sets several fields, each looked for when its turn comes, because forms change while
// they are filled.
func (t *Tools) FillForm(ctx context.Context, call *toolkit.Call, in actapi.FillFormParams) (toolkit.Result, error) {
	if v := fieldViolations(in.Fields); len(v) > 0 {
		return toolkit.Result{}, v
	}
	form := &formFill{wait: time.Duration(in.WaitForMs) * time.Millisecond}
	out, err := result.ActOn(ctx, call, t.sessions, in.TabID, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		refs := []string{in.Submit.Value}
		for _, f := range in.Fields {
			refs = append(refs, f.Ref.Value)
		}
		form.known = p.Document.KnownNames(refs)
		for _, f := range in.Fields {
			if err := form.set(ctx, call, p, f); err != nil {
				return form.effect, err
			}
		}
		if err := form.check(ctx, call, p); err != nil {
			return form.effect, err
		}
		if len(form.problems) == 0 && in.Submit.Set {
			form.submit(ctx, call, p, in.Submit.Value)
		}
		return form.effect, ctx.Err()
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	if len(form.problems) > 0 {
		return toolkit.Result{}, form.refusal(len(in.Fields), in.Submit.Set)
	}
	out.Element = nil // each field has a line of its own
	head := fmt.Sprintf("set %d of %d fields\n%s", len(form.done), len(in.Fields), strings.Join(form.done, "\n"))
	if form.clicked != "" {
		head += "\nclicked " + form.clicked
	}
	return toolkit.Text(out.Text(head)), nil
}

func fieldViolations(fields []actapi.FillFormFieldsItem) toolkit.Violations {
	var v toolkit.Violations
	for i, f := range fields {
		if f.Ref.Set == f.Query.Set {
			v = append(v, toolkit.Violation{Path: fmt.Sprintf("/fields/%d", i), Problem: `exactly one of "ref", "query" is required`})
		}
	}
	return v
}

// formFill is a form being filled.
type formFill struct {
	wait     time.Duration // for a field to appear
	known    *document.KnownNames
	done     []string
	elements []document.Element // of done; zero where the field left the page
	problems []string
	code     toolkit.Code // of the first problem
	effect   settle.Effect
	clicked  string
}

// set sets one field and notes what came of it. Only what concerns the whole call is an error.
func (f *formFill) set(ctx context.Context, call *toolkit.Call, p *page.Page, in actapi.FillFormFieldsItem) error {
	ref := in.Ref.Value
	if in.Query.Set {
		var err error
		if ref, err = findField(ctx, p, in.Query.Value, in.Value, f.wait); err != nil {
			return f.problem(ctx, call, fmt.Sprintf("%q", in.Query.Value), err)
		}
	}
	f.known.Restore(ctx, in.Ref.Value)
	effect, err := p.Widget.SetValue(ctx, ref, in.Value)
	if err != nil {
		name := ref
		if in.Query.Set {
			name = fmt.Sprintf("%q [%s]", in.Query.Value, ref)
		}
		return f.problem(ctx, call, name, err)
	}
	line, element := ref, document.Element{}
	if effect.Element != nil {
		line, element = result.ActedOn(*effect.Element), *effect.Element
	}
	f.done, f.elements = append(f.done, line), append(f.elements, element)
	f.add(effect)
	return nil
}

// check notes the fields that no longer hold what was set: a page may empty one when another is set.
func (f *formFill) check(ctx context.Context, call *toolkit.Call, p *page.Page) error {
	if n := len(f.elements); n > 0 && len(f.problems) == 0 {
		f.elements[n-1] = document.Element{} // it was compared, and nothing was set after it
	}
	var done []string
	for i, line := range f.done {
		if err := p.Widget.CheckHeld(ctx, f.elements[i]); err != nil {
			if err := f.problem(ctx, call, line, err); err != nil {
				return err
			}
			continue
		}
		done = append(done, line)
	}
	f.done = done
	return nil
}

// add joins what several steps changed.
func (f *formFill) add(e settle.Effect) {
	changes := f.effect.Changes
	for _, line := range e.Changes {
		if !slices.Contains(changes, line) && len(changes) < 8 {
			changes = append(changes, line)
		}
	}
	navigated, replaced := f.effect.Navigated || e.Navigated, f.effect.NewDocument || e.NewDocument
	f.effect = e
	f.effect.Changes, f.effect.Navigated, f.effect.NewDocument = changes, navigated, replaced
}

// problem notes a field that could not be set; the others are still tried. The end of the call
// itself is an error.
func (f *formFill) problem(ctx context.Context, call *toolkit.Call, name string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	var r *toolkit.Refusal
	if !errors.As(result.Refusal(call, err), &r) {
		return err
	}
	if f.code == "" {
		f.code = r.Code
	}
	f.problems = append(f.problems, fmt.Sprintf("%s: %s", name, r.Message))
	return nil
}

// submit clicks the button that a ref or a name means.
func (f *formFill) submit(ctx context.Context, call *toolkit.Call, p *page.Page, button string) {
	ref := button
	if !isRef(button) {
		var err error
		if ref, err = name(ctx, p, button, locate.WantPressed, fieldWait); err != nil {
			_ = f.problem(ctx, call, "submit", err)
			return
		}
	}
	f.known.Restore(ctx, button)
	effect, err := p.Widget.Click(ctx, input.Target{Ref: ref}, input.ClickOptions{})
	if err != nil {
		if f.problem(ctx, call, "submit", err) != nil {
			f.code, f.problems = toolkit.Failed, append(f.problems, "submit: "+err.Error())
		}
		return
	}
	f.clicked = ref
	if effect.Element != nil {
		f.clicked = result.ActedOn(*effect.Element)
	}
	f.add(effect)
}

// refusal lists the fields that are set, and the reason for each of the others.
func (f *formFill) refusal(all int, submit bool) *toolkit.Refusal {
	message := fmt.Sprintf("%d of %d fields are set; not: %s", len(f.done), all, strings.Join(f.problems, "; "))
	if submit {
		message += "; nothing was submitted"
	}
	done := f.done
	if done == nil {
		done = []string{}
	}
	return toolkit.Refuse(f.code, message, toolkit.Field{Name: "set", Value: done}, toolkit.Field{Name: "problems", Value: f.problems})
}

// isRef tells a ref from a name: e12.
func isRef(text string) bool {
	digits, ok := strings.CutPrefix(text, "e")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
