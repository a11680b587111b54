package input

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// wheelParams is input.DispatchMouseEventParams with both deltas always encoded: the protocol
// requires them, and the generated type omits zeros.
type wheelParams struct {
	Type   string  `json:"type"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	DeltaX float64 `json:"deltaX"`
	DeltaY float64 `json:"deltaY"`

	Modifiers int64 `json:"modifiers,omitempty"`
}

// smoothScrollTimeout bounds the wait for the end of a smooth scroll.
const smoothScrollTimeout = 1500 * time.Millisecond

// maxWheelSteps bounds one Scroll. To reach the end of a very long page, press End.
const maxWheelSteps = 200

// Scroll dispatches wheel events over the target, or over the middle of the viewport when the
// target is empty, by dx and dy CSS pixels; positive is right and down. It scrolls the container
// that a person's wheel would scroll.
func (m *Mouse) Scroll(ctx context.Context, target Target, dx, dy float64) (settle.Effect, error) {
	var at actionPoint
	var a settle.Action
	var err error
	if target.Ref == "" && target.Point == nil {
		if at, err = m.elementAtPoint(ctx, nil, false); err == nil {
			err = m.checkInputDelivery(ctx)
		}
		if err == nil {
			a, err = m.settle.BeginActionIn(ctx, at.world, 1, false)
		}
	} else {
		at, a, err = m.beginPointerAction(ctx, target, actionability{})
	}
	if err != nil {
		return settle.Effect{}, fmt.Errorf("scrolling: %w", err)
	}
	a.Frames, a.MutationTimeout, a.Element = 3, smoothScrollTimeout, at.Element
	if err := m.turnWheel(ctx, at, dx, dy); err != nil {
		return settle.Effect{Element: at.Element}, fmt.Errorf("scrolling: %w", err)
	}
	effect, err := m.settle.WaitForEffect(ctx, a)
	if err == nil && !effect.NewDocument {
		var wheel wheelReport
		moveErr := m.doc.EvaluateIn(ctx, at.world, "wheelMoved", document.Point{X: dx, Y: dy}, &wheel)
		if moveErr == nil {
			effect.Scrolled = wheel.String()
			effect.Unscrolled = !wheel.Moved && at.world == m.doc.Current() // else the page around the frame may have moved
		}
		effect.Changes = slices.DeleteFunc(effect.Changes, func(line string) bool { return wheel.Moved && strings.HasPrefix(line, "scrolled to ") })
	}
	return effect, err
}

// wheelReport is the effect of a turn of the wheel: how far it scrolled, to which offset, and the greatest offset, in
// CSS pixels.
type wheelReport struct {
	Moved    bool `json:"moved"`
	Sideways bool `json:"sideways"`
	By       int  `json:"by"`
	At       int  `json:"at"`
	Of       int  `json:"of"`
	// Canvas says that nothing scrolled, and that the pointer is over a canvas, which draws what it makes of a wheel.
	Canvas bool `json:"canvas"`
}

// String returns the end of a sentence about a scroll; "" where nothing is known of it.
func (w wheelReport) String() string {
	switch {
	case w.Canvas:
		return "wheel sent"
	case !w.Moved:
		return ""
	}
	direction := map[bool][2]string{false: {"up", "down"}, true: {"left", "right"}}[w.Sideways]
	by, towards := w.By, direction[1]
	if by < 0 {
		by, towards = -by, direction[0]
	}
	return fmt.Sprintf("scrolled %s px %s, now %s of %s px", grouped(by), towards, grouped(w.At), grouped(w.Of))
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// turnWheel dispatches as many wheel events as the distance needs.
func (m *Mouse) turnWheel(ctx context.Context, at actionPoint, dx, dy float64) error {
	var notch document.Point
	local, err := m.doc.FromTopViewport(ctx, at.world, document.Point{X: at.X, Y: at.Y})
	if err == nil {
		err = m.doc.EvaluateIn(ctx, at.world, "wheelStep", local, &notch)
	}
	if err != nil {
		return m.doc.Translate(ctx, "", err)
	}
	steps := max(1, math.Ceil(math.Abs(dx)/max(1, notch.X)), math.Ceil(math.Abs(dy)/max(1, notch.Y)))
	for range int(min(steps, maxWheelSteps)) {
		turn := wheelParams{Type: "mouseWheel", X: at.X, Y: at.Y, DeltaX: dx / steps, DeltaY: dy / steps}
		if err := m.doc.Session.Call(ctx, input.DispatchMouseEvent.Method, turn, nil); err != nil {
			return fmt.Errorf("turning the wheel: %w", err)
		}
	}
	return nil
}

// ScrollIntoView scrolls the element to the middle of the viewport.
func (m *Mouse) ScrollIntoView(ctx context.Context, ref string) (settle.Effect, error) {
	var at struct {
		actionPoint
		Moved bool `json:"moved"`
	}
	w, err := m.doc.EvaluateRef(ctx, ref, "reveal", nil, &at)
	if err != nil {
		return settle.Effect{}, fmt.Errorf("scrolling to %s: %w", ref, err)
	}
	a, err := m.settle.BeginActionIn(ctx, w, 1, false)
	if err != nil {
		return settle.Effect{}, fmt.Errorf("scrolling to %s: %w", ref, m.doc.Translate(ctx, ref, err))
	}
	a.Element = at.Element
	effect, err := m.settle.WaitForEffect(ctx, a)
	effect.Unscrolled = !at.Moved && w.Parent == nil
	return effect, err
}

// ScrollResult is the position of a container after a scroll; sizes are in CSS pixels.
type ScrollResult struct {
	X          int `json:"x"`
	Y          int `json:"y"`
	Width      int `json:"width"`
	Height     int `json:"height"`
	ViewWidth  int `json:"viewWidth"`
	ViewHeight int `json:"viewHeight"`
	By         int `json:"by"` // how far it went, in the direction that was asked for
	// Scrolled says that the position changed, AtEnd that it can go no further that way.
	Scrolled bool `json:"scrolled"`
	AtEnd    bool `json:"atEnd"`
	// Element is the named element, nil for the page.
	Element *document.Element `json:"element"`
	// Changes are lines for a reader, as of an [settle.Effect].
	Changes []string `json:"-"`
}

// Report says how far the container went along an axis, where it is, and how much there is; "" where it stayed.
func (r ScrollResult) Report(sideways bool) string {
	at, of := r.Y, r.Height
	if sideways {
		at, of = r.X, r.Width
	}
	return wheelReport{Moved: r.Scrolled, Sideways: sideways, By: r.By, At: at, Of: of}.String()
}

// ScrollBy scrolls the nearest container around the element by dx and dy CSS pixels, or to its end
// with end; "" is the page. It needs no pointer, so it works in covered and disabled containers.
func (m *Mouse) ScrollBy(ctx context.Context, ref string, dx, dy float64, end bool) (ScrollResult, error) {
	var out ScrollResult
	argument := map[string]any{"dx": dx, "dy": dy, "end": end}
	w, err := m.doc.TopWorld(ctx)
	if ref != "" {
		w, _, err = m.doc.LocateRef(ctx, ref)
	}
	if err != nil {
		return out, fmt.Errorf("scrolling: %w", err)
	}
	a, err := m.settle.BeginActionIn(ctx, w, 1, false)
	if err == nil && ref != "" {
		_, err = m.doc.EvaluateRef(ctx, ref, "scroll", argument, &out)
	} else if err == nil {
		err = m.doc.Evaluate(ctx, "scroll", argument, &out)
	}
	if err != nil {
		return out, fmt.Errorf("scrolling: %w", m.doc.Translate(ctx, ref, err))
	}
	effect, err := m.settle.WaitForEffect(ctx, a) // scrolling may load the next part of a list
	out.Changes = effect.Changes
	return out, err
}
