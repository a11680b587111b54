package widget

import (
	"cmp"
	"context"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// revertTime is how long a page that started timers may put a field back, as in the page's script.
const revertTime = 300 * time.Millisecond

// Form sets fields one after the other. Each is compared with what was set at once; the time in which a page may put
// a value back passes once for all, before they are compared together.
type Form struct {
	setter  *Setter
	barrier *input.Barrier // of all fields, which ends with the form
	remove  func()
	fields  []*FormField
	// last is the action of the last field, whose effect the end of the form waits for; secret is said of its value.
	last   *settle.Action
	secret bool
	// pending is the end of the time in which the page may put a field back.
	pending time.Time
}

// FormField is a field of a form that was set. At the end of the form, Err is a [document.NotAppliedError] where the
// page put it back, cleared it, or changed it otherwise.
type FormField struct {
	Element    document.Element // the zero value where it left the page
	Err        error
	ref, value string
	world      *document.World
	n          int
	early      bool // it was set while the page might still put another field back
}

// NewForm begins a form. The caller calls [Form.End] on every path.
func (s *Setter) NewForm() *Form { return &Form{setter: s} }

func (s *Setter) startBarrier(ctx context.Context) *input.Barrier {
	if s.form != nil {
		return s.form.barrier
	}
	return s.keyboard.StartBarrier(ctx)
}

// Set sets a field, as [Setter.SetValue] does. What is not there while the page may still change is tried once more
// then. With last, the end of the form waits for the effect.
func (f *Form) Set(ctx context.Context, ref, value string, last bool) (settle.Effect, error) {
	s := f.setter
	if s.form = f; f.barrier == nil {
		f.barrier = s.keyboard.StartBarrier(ctx)
		f.remove, f.barrier.Remove = f.barrier.Remove, func() {}
	}
	defer func() { s.form = nil }()
	left := time.Until(f.pending)
	effect, err := s.setValue(ctx, ref, value, false, last)
	if err != nil && left > 0 && ctx.Err() == nil && settle.Pause(ctx, left) == nil {
		effect, err = s.setValue(ctx, ref, value, false, last)
	}
	if err != nil {
		return effect, err
	}
	field := &FormField{ref: ref, value: value, early: left > 0}
	if effect.Element != nil {
		field.Element = *effect.Element
		if field.world, field.n, err = s.doc.LocateRef(ctx, effect.Element.Ref); err != nil {
			field.world = nil // its document was replaced
		}
	}
	if effect.HeldPending {
		f.pending = time.Now().Add(revertTime)
	}
	f.fields = append(f.fields, field)
	return effect, nil
}

// End waits for the page, compares the fields, and returns them. A field that was set too early for the page, which
// changed it afterwards, is set once more. The effect is that of the last field.
func (f *Form) End(ctx context.Context) ([]*FormField, settle.Effect, error) {
	if f.barrier != nil {
		defer f.remove()
	}
	effect, err := f.compare(ctx)
	again := false
	for _, field := range f.fields {
		if err != nil || field.Err == nil || !field.early {
			continue
		}
		again = true
		e, setErr := f.setter.SetValue(ctx, cmp.Or(field.Element.Ref, field.ref), field.value)
		if field.Err = setErr; setErr == nil && e.Element != nil {
			field.Element = *e.Element
		}
	}
	if again && err == nil {
		_, err = f.compare(ctx)
	}
	return f.fields, effect, err
}

// compare compares the fields of each document; the last field's action waits in its own.
func (f *Form) compare(ctx context.Context) (effect settle.Effect, err error) {
	byWorld := map[*document.World][]*FormField{}
	for _, field := range f.fields {
		if field.world != nil && !field.world.Replaced {
			byWorld[field.world] = append(byWorld[field.world], field)
		}
	}
	if f.last != nil {
		own := f.fields[len(f.fields)-1]
		f.last.Fields = formFields(byWorld[own.world])
		effect, err = f.setter.settle.WaitForApplied(ctx, *f.last)
		if err != nil {
			own.Err, err = setError(own.ref, f.secret, err), ctx.Err()
		}
		if note(byWorld[own.world], effect.Fields); effect.Fields != nil {
			delete(byWorld, own.world)
		}
		f.last = nil
	}
	for w, fields := range byWorld {
		var now struct {
			Fields []settle.FieldState `json:"fields"`
		}
		argument := map[string]any{"fields": formFields(fields)}
		if err := f.setter.doc.EvaluateIn(ctx, w, "readBackForm", argument, &now); err != nil && ctx.Err() != nil {
			return effect, ctx.Err()
		}
		note(fields, now.Fields) // those of a document that was replaced have nothing to compare
	}
	return effect, err
}

func formFields(fields []*FormField) (out []settle.FormField) {
	for _, f := range fields {
		out = append(out, settle.FormField{N: f.n, Value: f.Element.Value, Checked: f.Element.Checked})
	}
	return out
}

// note notes the states of fields; those that left the page stay as they were.
func note(fields []*FormField, states []settle.FieldState) {
	for i, s := range states {
		if s.Element != nil {
			fields[i].Element = *s.Element
		}
		fields[i].Err = cmp.Or(fields[i].Err, s.Err(nil))
	}
}
