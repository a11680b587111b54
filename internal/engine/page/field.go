package page

import "context"

// FieldByLabel returns the ref of the field that a visible text labels, also where the page does
// not say so: the next field that follows the text. It returns "" where there is none.
func (p *Page) FieldByLabel(ctx context.Context, label string) (string, error) {
	return p.refByLabel(ctx, "fieldByLabel", label)
}

// rate clicks as many stars as a value says.
func (p *Page) rate(ctx context.Context, ref, _ string, plan editPlan) (Effect, error) {
	effect, err := p.Click(ctx, Target{Point: &plan.Point}, ClickOptions{})
	if err != nil {
		return effect, err
	}
	return p.withElement(ctx, effect, ref), nil
}

// withElement makes the element that was set the one that the effect reports.
func (p *Page) withElement(ctx context.Context, effect Effect, ref string) Effect {
	if info, err := p.Describe(ctx, ref); err == nil {
		effect.Element = &info.Element
	}
	return effect
}
