package page

import (
	"context"
	"fmt"
	"math"
	"strconv"
)

// stepsMost bounds the keys that are pressed to move a slider.
const stepsMost = 400

// step moves a slider that a script draws to a value, with the keys that make such a one greater and smaller. One that does
// not follow them, or has no such value, is left where it came to.
func (p *Page) step(ctx context.Context, ref, value string, plan editPlan) (Effect, error) {
	effect := Effect{Element: plan.Element}
	refused := func(reason string) (Effect, error) {
		return effect, fmt.Errorf("setting %s: %w", ref, &ValueRefusedError{Ref: ref, Value: value, Reason: reason})
	}
	keys := [...][2]string{{"ArrowUp", "ArrowDown"}, {"ArrowRight", "ArrowLeft"}}
	now, pair := plan.Now, 0
	for range stepsMost {
		if now == plan.Wanted {
			if info, err := p.Describe(ctx, ref); err == nil {
				effect.Element = &info.Element
			}
			return effect, nil
		}
		key := keys[pair][0]
		if plan.Wanted < now {
			key = keys[pair][1]
		}
		var err error
		if effect, err = p.Press(ctx, key); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
		var at struct {
			Now *float64 `json:"now"`
		}
		if _, err := p.askRef(ctx, ref, "level", nil, &at); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
		switch {
		case at.Now == nil:
			return refused("it tells its value no longer")
		case *at.Now == now && pair == 0 && now == plan.Now:
			pair = 1 // some answer to the other pair alone
		case *at.Now == now, (*at.Now > now) != (plan.Wanted > now):
			return refused("at " + decimal(now) + " it does not follow the arrow keys towards it; drag its handle")
		case (plan.Wanted > now) == (*at.Now > plan.Wanted) && *at.Now != plan.Wanted:
			return refused("it moves in steps, from " + decimal(now) + " to " + decimal(*at.Now))
		default:
			now = *at.Now
			if left := math.Abs(plan.Wanted - now); left > stepsMost*math.Abs(now-plan.Now) {
				return refused("it is at " + decimal(now) + ", and too many steps away; drag its handle")
			}
		}
	}
	return refused("it is at " + decimal(now) + " after " + strconv.Itoa(stepsMost) + " steps; drag its handle")
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
