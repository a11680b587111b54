package act

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/engine/page/widget"
	"github.com/callsheet/callsheet/internal/result"
)

// FillForm sets several fields, each looked for when its turn comes, because forms change while
// they are filled.
func (t *Tools) FillForm(ctx context.Context, call *toolkit.Call, in actapi.FillFormParams) (toolkit.Result, error) {
	if v := fieldViolations(in.Fields); len(v) > 0 {
		return toolkit.Result{}, v
	}
	form := &formFill{done: []string{}, wait: time.Duration(in.WaitForMs) * time.Millisecond}
	out, err := result.ActOn(ctx, call, t.sessions, in.TabID, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		refs := []string{in.Submit.Value}
		for _, f := range in.Fields {
			refs = append(refs, f.Ref.Value)
		}
		form.known = p.Document.KnownNames(refs)
		if err := form.setAll(ctx, call, p, in.Fields); err != nil {
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
	form     *widget.Form
	wait     time.Duration // for a field to appear
	known    *document.KnownNames
	names    []string // of the fields that were set, as a problem names them
	done     []string
	problems []string
	code     toolkit.Code // of the first problem
	effect   settle.Effect
	clicked  string
}

// setAll sets the fields and notes what came of them. Only what concerns the whole call is an error.
func (f *formFill) setAll(ctx context.Context, call *toolkit.Call, p *page.Page, in []actapi.FillFormFieldsItem) error {
	f.form = p.Widget.NewForm()
	for i, field := range in {
		if err := f.set(ctx, call, p, field, i == len(in)-1); err != nil {
			_, _, _ = f.form.End(ctx)
			return err
		}
	}
	fields, effect, err := f.form.End(ctx)
	if err != nil {
		return err
	}
	if effect.URL != "" {
		f.add(effect)
	}
	for i, field := range fields {
		switch {
		case field.Err == nil && field.Element.Ref == "":
			f.done = append(f.done, f.names[i])
		case field.Err == nil:
			f.done = append(f.done, result.ActedOn(field.Element))
		default:
			if err := f.problem(ctx, call, f.names[i], field.Err); err != nil {
				return err
			}
		}
	}
	return nil
}

// set sets one field.
func (f *formFill) set(ctx context.Context, call *toolkit.Call, p *page.Page, in actapi.FillFormFieldsItem, last bool) error {
	ref, name := in.Ref.Value, in.Ref.Value
	if locate.IsSelector(ref) {
		in.Query = in.Ref
	}
	if in.Query.Set {
		var err error
		if ref, err = findField(ctx, p, in.Query.Value, in.Value, f.wait); err != nil {
			return f.problem(ctx, call, fmt.Sprintf("%q", in.Query.Value), err)
		}
		name = fmt.Sprintf("%q [%s]", in.Query.Value, ref)
	}
	f.known.Restore(ctx, in.Ref.Value)
	effect, err := f.form.Set(ctx, ref, in.Value, last)
	if err != nil {
		return f.problem(ctx, call, name, err)
	}
	f.names = append(f.names, name)
	if effect.URL != "" {
		f.add(effect)
	}
	return nil
}

// add joins the changes of several steps.
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
	return toolkit.Refuse(f.code, message, toolkit.Field{Name: "set", Value: f.done}, toolkit.Field{Name: "problems", Value: f.problems})
}

var aRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^e\d+$`) })

// isRef tells a ref from a name: e12.
func isRef(text string) bool { return aRef().MatchString(text) }
