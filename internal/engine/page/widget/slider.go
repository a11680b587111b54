package widget

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/text"
)

// What bounds the moves of a slider: the keys in all and of one burst, the keys beyond which the handle is dragged first,
// and the time.
const (
	maxSliderSteps = 400
	sliderBurst    = 20
	farSteps       = 50
	slowSteps      = 8
	slowSlider     = 2 * time.Second
	sliderTimeout  = 15 * time.Second
)

// sliderMove is a slider on its way to a value.
type sliderMove struct {
	now, target, step float64 // step is the change by one key, 0 before the first
	pressed           int
	pair              int // of sliderKeys
	drags             int
	passed            bool // a burst went beyond the target
	begun             time.Time
}

// sliderKeys raise and lower a slider; some answer to the second pair alone.
var sliderKeys = [...][2]string{{"ArrowUp", "ArrowDown"}, {"ArrowRight", "ArrowLeft"}}

// sliderState is the value of a slider, and the drag that would bring it near another value.
type sliderState struct {
	Value *float64 `json:"value"`
	Drag  *struct {
		From, To document.Point
	} `json:"drag"`
}

// keys returns the next keys to press, n times the same.
func (m *sliderMove) keys() (keys string, n int) {
	n = 1
	if m.step > 0 && !m.passed {
		n = max(1, min(sliderBurst, int(m.remainingSteps())))
	}
	key := sliderKeys[m.pair][0]
	if m.target < m.now {
		key = sliderKeys[m.pair][1]
	}
	return strings.TrimSpace(strings.Repeat(key+" ", n)), n
}

// remainingSteps returns the number of steps to the target.
func (m *sliderMove) remainingSteps() float64 { return math.Abs(m.target-m.now) / m.step }

// isFar reports that a drag brings the slider to its value sooner than keys do.
func (m *sliderMove) isFar() bool {
	inTime := time.Since(m.begun) < sliderTimeout
	return inTime && m.step > 0 && m.drags < maxSliderDrags && (m.remainingSteps() > farSteps || m.remainingSteps() > slowSteps && time.Since(m.begun) > slowSlider)
}

// follow takes over the value after n keys. It returns why the slider cannot get to its target, or "", and the
// nearest value where it moves in steps.
func (m *sliderMove) follow(at float64, n int) (reason, example string) {
	first := m.pressed == 0
	was := m.now
	m.pressed, m.now = m.pressed+n, at
	switch {
	case at == was && first && m.pair == 0:
		m.pair, m.pressed = 1, 0
	case at == was, (at > was) != (m.target > was):
		return "at " + text.Decimal(was) + " it does not follow the arrow keys towards it", ""
	case at != m.target && (at > m.target) == (m.target > was):
		if n == 1 {
			return "it moves in steps, from " + text.Decimal(was) + " to " + text.Decimal(at) + ", where it is now", text.Decimal(at)
		}
		m.passed = true
	default:
		m.step = math.Abs(at-was) / float64(n)
	}
	return "", ""
}

// moveSlider moves a slider that a script draws to a value, with arrow keys, and with a drag before where that is far. A
// slider that does not follow them stays where it is, and one that cannot take the value stays at the step beyond it.
func (s *Setter) moveSlider(ctx context.Context, ref, value string, plan editPlan) (settle.Effect, error) {
	effect := settle.Effect{Element: plan.Element}
	refused := func(reason, example string) (settle.Effect, error) {
		e := &document.ValueRefusedError{Ref: ref, Value: value, Reason: reason, Example: example}
		if example == "" {
			e.Remedy = document.RemedyDrag
		}
		return effect, fmt.Errorf("setting %s: %w", ref, e)
	}
	m := sliderMove{now: plan.Current, target: plan.Target, begun: time.Now()}
	for m.now != m.target {
		var at sliderState
		w, err := s.doc.EvaluateRef(ctx, ref, "sliderState", map[string]any{"target": m.target}, &at)
		if err == nil && m.isFar() && at.Drag != nil && w.Parent == nil {
			if effect, err = s.dragNear(ctx, ref, &m, at.Drag.From, at.Drag.To); err == nil {
				continue
			}
		}
		if err == nil && (m.pressed >= maxSliderSteps || m.step > 0 && m.remainingSteps() > maxSliderSteps || time.Since(m.begun) > sliderTimeout) {
			return refused(fmt.Sprintf("it is at %s after %d steps, and too many steps away", text.Decimal(m.now), m.pressed), "")
		}
		keys, n := m.keys()
		if err == nil {
			effect, err = s.keyboard.Burst(ctx, keys)
		}
		if err == nil {
			_, err = s.doc.EvaluateRef(ctx, ref, "sliderState", map[string]any{"target": m.target}, &at)
		}
		if err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
		if at.Value == nil {
			return refused("it tells its value no longer", "")
		}
		if reason, example := m.follow(*at.Value, n); reason != "" {
			return refused(reason, example)
		}
	}
	return s.withElement(ctx, effect, ref), nil
}

// dragNear drags the handle of a slider. A drag that fails, or brings it no closer, is one of maxSliderDrags too.
func (s *Setter) dragNear(ctx context.Context, ref string, m *sliderMove, from, to document.Point) (settle.Effect, error) {
	var at sliderState
	effect, _ := s.mouse.Drag(ctx, input.Target{Point: &from}, input.Target{Point: &to}, input.DragOptions{}) // where the value stays, another drag is tried
	if _, focusErr := s.keyboard.Focus(ctx, ref); focusErr != nil {
		return effect, focusErr
	}
	if _, stateErr := s.doc.EvaluateRef(ctx, ref, "sliderState", map[string]any{"target": m.target}, &at); stateErr != nil {
		return effect, stateErr
	}
	m.drags++
	if at.Value != nil {
		m.now = *at.Value
	}
	return effect, nil
}

// setRange sets the two sliders of a range. The one that moves away from the other is the first, because
// they do not pass each other.
func (s *Setter) setRange(ctx context.Context, ref, value string, plan editPlan) (settle.Effect, error) {
	if plan.Values[0] > plan.Values[1] {
		return settle.Effect{Element: plan.Element}, fmt.Errorf("setting %s: %w", ref, &document.ValueRefusedError{
			Ref: ref, Value: value, Reason: "a range begins at its lower value",
			Example: text.Decimal(plan.Values[1]) + ".." + text.Decimal(plan.Values[0]),
		})
	}
	order := []int{0, 1}
	if plan.Values[0] > plan.Current {
		order = []int{1, 0}
	}
	var effect settle.Effect
	for _, i := range order {
		var err error
		if effect, err = s.SetValue(ctx, plan.Refs[i], text.Decimal(plan.Values[i])); err != nil {
			return effect, err
		}
	}
	return s.withElement(ctx, effect, ref), nil
}
