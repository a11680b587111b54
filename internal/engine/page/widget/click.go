package widget

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// Click clicks a target as [Setter.Click] does. An option whose list is closed is not drawn, so it
// is chosen in its list instead.
func (s *Setter) Click(ctx context.Context, target input.Target, o input.ClickOptions) (settle.Effect, error) {
	if err := o.Check(); err != nil {
		return settle.Effect{}, err
	}
	if effect, isOption, err := s.chooseClosedOption(ctx, target.Ref); isOption {
		return effect, err
	}
	return s.mouse.Click(ctx, target, o)
}

// chooseClosedOption sets the select of an option that is not drawn, because its list is closed.
func (s *Setter) chooseClosedOption(ctx context.Context, ref string) (effect settle.Effect, isOption bool, err error) {
	if s.doc.Refs.Entry(ref).Role != "option" {
		return effect, false, nil
	}
	var owner struct {
		Ref   string `json:"ref"`
		Value string `json:"value"`
	}
	if _, err := s.doc.EvaluateRef(ctx, ref, "optionOwner", nil, &owner); err != nil || owner.Ref == "" {
		return effect, false, nil // the click itself reports what is wrong with the ref
	}
	effect, err = s.SetValue(ctx, owner.Ref, owner.Value)
	return effect, true, err
}
