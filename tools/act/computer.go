package act

import (
	"context"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/text"
)

func isDirection(v string) bool { return v == "up" || v == "down" || v == "left" || v == "right" }

// scrollUnit is the distance by which one unit of scroll_amount scrolls, in CSS pixels.
const scrollUnit = 100

// Computer is raw mouse and keyboard.
func (t *Tools) Computer(ctx context.Context, call *toolkit.Call, in actapi.ComputerParams) (toolkit.Result, error) {
	if in.Action != actapi.ComputerActionType && secret.NamedIn(in.Text.Value) {
		return toolkit.Result{}, toolkit.Violations{{Path: "/text", Problem: `a secret is typed by action "type" alone`}}
	}
	switch in.Action {
	case actapi.ComputerActionScreenshot:
		return t.screenshot(ctx, call, in)
	case actapi.ComputerActionWait:
		return t.pause(ctx, call, in)
	}
	out, err := result.ActOn(ctx, call, t.sessions, in.TabID, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		return perform(ctx, p, in)
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	if in.Action == actapi.ComputerActionScroll && !in.Ref.Set && in.Coordinate == nil {
		out.Element = nil // the call names no element
	}
	return toolkit.Text(out.Text(done(in, out.Effect))), nil
}

func perform(ctx context.Context, p *page.Page, in actapi.ComputerParams) (settle.Effect, error) {
	ref, err := p.Locate.Ref(ctx, in.Ref.Value)
	if err != nil {
		return settle.Effect{}, err
	}
	target := input.Target{Ref: ref, Moving: in.Moving}
	if len(in.Coordinate) == 2 {
		target.Point = &document.Point{X: in.Coordinate[0], Y: in.Coordinate[1]}
	}
	o := input.ClickOptions{}
	if in.Text.Value != "" {
		o.Modifiers = strings.Split(in.Text.Value, "+") // held in a click
	}
	switch in.Action {
	case actapi.ComputerActionRightClick:
		o.Button = input.ButtonRight
	case actapi.ComputerActionMiddleClick:
		o.Button = input.ButtonMiddle
	case actapi.ComputerActionDoubleClick:
		o.Count = 2
	case actapi.ComputerActionTripleClick:
		o.Count = 3
	case actapi.ComputerActionHover:
		return p.Mouse.Hover(ctx, target)
	case actapi.ComputerActionType:
		return p.Keyboard.Type(ctx, in.Text.Value)
	case actapi.ComputerActionKey:
		return p.Keyboard.Press(ctx, in.Text.Value)
	case actapi.ComputerActionScroll:
		dx, dy := scrollDistance(string(in.ScrollDirection), float64(in.ScrollAmount*scrollUnit))
		return p.Mouse.Scroll(ctx, target, dx, dy)
	case actapi.ComputerActionScrollTo:
		return p.Mouse.ScrollIntoView(ctx, ref)
	}
	return p.Widget.Click(ctx, target, o)
}

// screenshot takes a picture of the viewport.
func (t *Tools) screenshot(ctx context.Context, call *toolkit.Call, in actapi.ComputerParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	shot, err := capture.Screenshot(ctx, tab, capture.Options{MaxSide: capture.MaxShown})
	if err != nil {
		return toolkit.Result{}, err
	}
	said := ""
	if shot.Scale != 1 { // coordinates are those of the page
		said = shot.Describe()
	}
	return toolkit.Image(said, shot.Data, shot.MIME), nil
}

// pause waits without holding up anything but its own tab.
func (t *Tools) pause(ctx context.Context, call *toolkit.Call, in actapi.ComputerParams) (toolkit.Result, error) {
	d := time.Duration(in.Duration * float64(time.Second))
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) error {
		_, err := p.Settle.WaitFor(ctx, settle.WaitOptions{Duration: d})
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("waited %v", d), nil
}

// maxEchoedKeys bounds, in characters, how much of a key sequence a result repeats.
const maxEchoedKeys = 60

// scrolled says what a scroll did, up to the element that follows.
func scrolled(direction string, effect settle.Effect) string {
	within := ""
	if effect.Element != nil {
		within = " in"
	}
	switch {
	case effect.Scrolled != "":
		return effect.Scrolled + within
	case effect.Unscrolled && isDirection(direction):
		return "nothing scrolled " + direction + within
	}
	return "scrolled"
}

// done says an action in the past, up to the element that follows: it was done to it, or in it.
func done(in actapi.ComputerParams, effect settle.Effect) string {
	within := ""
	if effect.Element != nil {
		within = " in"
	}
	switch in.Action {
	case actapi.ComputerActionLeftClick:
		return "clicked"
	case actapi.ComputerActionType:
		return "typed" + within
	case actapi.ComputerActionKey:
		return "pressed " + text.ClipRunes(in.Text.Value, maxEchoedKeys) + within
	case actapi.ComputerActionScroll:
		return scrolled(string(in.ScrollDirection), effect)
	case actapi.ComputerActionScrollTo:
		if effect.Unscrolled {
			return "in view already:"
		}
		return "scrolled to"
	}
	return pastTense(string(in.Action))
}
