package page

import "context"

// Click clicks a target as [Page.clickMouse] does. An option whose list is closed is not drawn, so it
// is chosen in its list instead.
func (p *Page) Click(ctx context.Context, target Target, o ClickOptions) (Effect, error) {
	if err := o.check(); err != nil {
		return Effect{}, err
	}
	if effect, isOption, err := p.chooseClosedOption(ctx, target.Ref); isOption {
		return effect, err
	}
	return p.clickMouse(ctx, target, o)
}

// chooseClosedOption sets the select of an option that is not drawn, because its list is closed.
func (p *Page) chooseClosedOption(ctx context.Context, ref string) (effect Effect, isOption bool, err error) {
	if p.refs.entry(ref).role != "option" {
		return effect, false, nil
	}
	var owner struct {
		Ref   string `json:"ref"`
		Value string `json:"value"`
	}
	if _, err := p.evaluateRef(ctx, ref, "optionOwner", nil, &owner); err != nil || owner.Ref == "" {
		return effect, false, nil // the click itself reports what is wrong with the ref
	}
	effect, err = p.SetValue(ctx, owner.Ref, owner.Value)
	return effect, true, err
}
