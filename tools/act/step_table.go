package act

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/text"
)

// operation describes the steps of one name: their members, and the function that runs them.
type operation struct {
	one   []string   // members of which a step has at most one
	needs [][]string // of each of these it has at least one
	also  []string   // what else it may have
	// act changes the page, at what the step names; run does anything else, and returns the line about it.
	act  func(ctx context.Context, p *page.Page, at input.Target, s step) (settle.Effect, error)
	run  func(r *run, ctx context.Context, s step) (string, error)
	done func(s step, e settle.Effect) string
}

// operations returns the table of operations, by the name of the step.
func operations() map[actapi.ActStepsItemAction]operation {
	element, condition := []string{"ref", "query", "selector"}, []string{"ref", "query", "selector", "value"}
	target, value := []string{"ref", "query", "selector", "coordinate"}, []string{"value"}
	either := func(more ...string) []string { return slices.Concat(target, more) }
	said := func(text string) func(step, settle.Effect) string {
		return func(step, settle.Effect) string { return text }
	}
	pointer := operation{one: target, needs: [][]string{target}, also: []string{"moving"}, act: pointerStep, done: func(s step, _ settle.Effect) string { return pastTense(string(s.Action)) }}
	return map[actapi.ActStepsItemAction]operation{
		actapi.ActStepsItemActionClick: pointer, actapi.ActStepsItemActionDoubleClick: pointer,
		actapi.ActStepsItemActionRightClick: pointer, actapi.ActStepsItemActionHover: pointer,
		actapi.ActStepsItemActionSet:        {one: element, needs: [][]string{element, value}, act: setStep, done: said("set")},
		actapi.ActStepsItemActionType:       {one: target, needs: [][]string{value}, act: keysStep, done: typedText},
		actapi.ActStepsItemActionKey:        {one: target, needs: [][]string{value}, act: keysStep, done: pressedKeys},
		actapi.ActStepsItemActionHold:       {one: target, needs: [][]string{{"ms"}, either("value")}, act: holdStep, done: heldFor},
		actapi.ActStepsItemActionScroll:     {one: target, needs: [][]string{either("value", "to")}, act: scrollStep, done: scrolledStep},
		actapi.ActStepsItemActionDrag:       {one: target, needs: [][]string{either("path"), {"to", "path"}}, also: []string{"ms"}, act: dragStep, done: said("dragged")},
		actapi.ActStepsItemActionMouse:      {needs: [][]string{{"path"}}, also: value, act: mouseStep, done: said("moved the mouse")},
		actapi.ActStepsItemActionSelectText: {one: element, needs: [][]string{value}, also: []string{"to"}, act: selectStep, done: said("selected text")},
		actapi.ActStepsItemActionWait: {
			one: append(condition, "ms"), needs: [][]string{append(condition, "ms", "type")}, act: waitStep,
			done: func(s step, _ settle.Effect) string { return "waited for " + conditionName(s) },
		},
		actapi.ActStepsItemActionUpload:     {one: element, needs: [][]string{element, {"filePaths"}}, run: (*run).upload},
		actapi.ActStepsItemActionNavigate:   {needs: [][]string{value}, run: (*run).navigate},
		actapi.ActStepsItemActionRead:       {one: element, also: []string{"value", "as"}, run: (*run).readPart},
		actapi.ActStepsItemActionFind:       {needs: [][]string{{"query"}}, also: []string{"as"}, run: (*run).search},
		actapi.ActStepsItemActionExpect:     {one: element, needs: [][]string{condition}, run: (*run).expect},
		actapi.ActStepsItemActionScreenshot: {one: append(element, "region"), also: value, run: (*run).screenshot},
		actapi.ActStepsItemActionIf:         {one: condition, needs: [][]string{condition}, also: []string{"type"}, run: (*run).branch},
		actapi.ActStepsItemActionRepeat:     {one: condition, needs: [][]string{append(condition, "times")}, also: []string{"type"}, run: (*run).repeat},
		actapi.ActStepsItemActionElse:       {},
		actapi.ActStepsItemActionEnd:        {},
	}
}

// problem names the members that a step lacks, or has and does not use.
func (o operation) problem(s actapi.ActStepsItem) string {
	given := map[string]bool{
		"ref": s.Ref.Set, "query": s.Query.Set, "moving": s.Moving.Set, "selector": s.Selector.Set, "coordinate": s.Coordinate != nil, "value": s.Value.Set, "to": s.To.Set,
		"path": s.Path != nil, "ms": s.Ms.Set, "type": s.Type.Set, "times": s.Times.Set, "as": s.As.Set, "filePaths": s.FilePaths != nil, "region": s.Region != nil,
	}
	quoted := func(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }
	taken := slices.Concat(append(o.needs, o.one, o.also)...)
	for _, name := range result.Sorted(given) {
		if given[name] && !slices.Contains(taken, name) {
			return fmt.Sprintf("%s takes no %q", s.Action, name)
		}
	}
	has := func(name string) bool { return given[name] }
	if n := slices.DeleteFunc(slices.Clone(o.one), func(name string) bool { return !has(name) }); len(n) > 1 {
		return "only one of " + quoted(n) + " may be given"
	}
	for _, names := range o.needs {
		switch {
		case slices.ContainsFunc(names, has):
		case len(names) == 1:
			return quoted(names) + " is required"
		default:
			return "one of " + quoted(names) + " is required"
		}
	}
	if s.Type.Value == actapi.ActStepsItemTypeIdle || s.Type.Value == actapi.ActStepsItemTypeMs {
		if s.Action != actapi.ActStepsItemActionWait {
			return "a condition is of type text, gone or url"
		}
	}
	return ""
}

// targetOf finds what a step names; the target is empty where it names nothing, or what to wait for.
func targetOf(ctx context.Context, p *page.Page, s step) (input.Target, error) {
	if s.Action == actapi.ActStepsItemActionWait {
		return input.Target{}, nil
	}
	if s.Query.Set && s.Action == actapi.ActStepsItemActionSet {
		ref, err := findField(ctx, p, s.Query.Value, s.Value.Value, fieldWait)
		return input.Target{Ref: ref}, err
	}
	if s.Selector.Set {
		waiting, cancel := context.WithTimeout(ctx, fieldWait)
		_, _ = p.Settle.WaitFor(waiting, settle.WaitOptions{Selector: s.Selector.Value, Visible: true}) // the search says what is missing
		cancel()
	}
	at, err := dragEnd(ctx, p, elementArgument{s.Ref, s.Query}, s.Selector, s.Coordinate)
	at.Moving = s.Moving.Value
	return at, err
}

// act makes a step that changes the page.
func (s step) act(ctx context.Context, p *page.Page) (settle.Effect, error) {
	return retryStale(s.Query.Set, func() (settle.Effect, error) {
		at, err := targetOf(ctx, p, s)
		if err != nil {
			return settle.Effect{}, err
		}
		return operations()[s.Action].act(ctx, p, at, s)
	})
}

// pointerStep makes an action of interact, whose names steps have too.
func pointerStep(ctx context.Context, p *page.Page, at input.Target, s step) (settle.Effect, error) {
	return pointerAction(ctx, p, at, actapi.InteractAction(s.Action))
}

func setStep(ctx context.Context, p *page.Page, at input.Target, s step) (settle.Effect, error) {
	return p.Widget.SetValue(ctx, at.Ref, s.Value.Value)
}

// keysStep types or presses into what is named, or into whatever has the focus.
func keysStep(ctx context.Context, p *page.Page, at input.Target, s step) (effect settle.Effect, err error) {
	switch {
	case at.Point != nil:
		effect, err = p.Mouse.Click(ctx, at, input.ClickOptions{})
	case at.Ref != "":
		effect, err = p.Keyboard.Focus(ctx, at.Ref)
	}
	switch {
	case err != nil:
		return effect, err
	case s.Action == actapi.ActStepsItemActionType:
		return p.Keyboard.Type(ctx, s.Value.Value)
	}
	return p.Keyboard.Hold(ctx, s.Value.Value, milliseconds(s.Ms.Value))
}

// holdStep holds keys, or the mouse button on an element or a point.
func holdStep(ctx context.Context, p *page.Page, at input.Target, s step) (settle.Effect, error) {
	if s.Value.Set {
		return keysStep(ctx, p, at, s)
	}
	return p.Mouse.Click(ctx, at, input.ClickOptions{Hold: milliseconds(s.Ms.Value)})
}

func typedText(_ step, e settle.Effect) string { return "typed into" + orPage(e) }

func pressedKeys(s step, e settle.Effect) string {
	return "pressed " + text.ClipRunes(s.Value.Value, maxEchoedKeys) + " in" + orPage(e)
}

// orPage names the page where no element had the focus; the answer names an element itself.
func orPage(e settle.Effect) string {
	if e.Element == nil {
		return " the page"
	}
	return ""
}

func heldFor(s step, e settle.Effect) string {
	if s.Value.Set {
		return fmt.Sprintf("held %s for %d ms in%s", s.Value.Value, s.Ms.Value, orPage(e))
	}
	return fmt.Sprintf("pressed for %d ms", s.Ms.Value)
}

// scrollStep scrolls to an element or a text, or in a direction by a distance: down 1200.
func scrollStep(ctx context.Context, p *page.Page, at input.Target, s step) (settle.Effect, error) {
	direction, distance, _ := strings.Cut(s.Value.Value, " ")
	px, err := strconv.Atoi(distance)
	if s.Value.Set && (!isDirection(direction) || distance != "" && err != nil) {
		return settle.Effect{}, toolkit.Refuse(toolkit.InvalidArguments, `a scroll goes up, down, left or right, with its distance in px after it: "down 1200"`)
	}
	if !s.Value.Set && !s.To.Set {
		return p.Mouse.ScrollIntoView(ctx, at.Ref)
	}
	if distance == "" {
		px = 600
	}
	dx, dy := scrollDistance(direction, float64(px))
	for {
		found := locate.Found{}
		if s.To.Set {
			var err error
			if found, err = p.Locate.Search(ctx, s.To.Value, locate.FindOptions{}); err != nil {
				return settle.Effect{}, err
			}
		}
		if len(found.Matches) > 0 && !found.Matches[0].Partial() {
			return p.Mouse.ScrollIntoView(ctx, found.Matches[0].Ref)
		}
		if at.Point != nil && !s.To.Set {
			return p.Mouse.Scroll(ctx, at, dx, dy)
		}
		moved, err := p.Mouse.ScrollBy(ctx, at.Ref, dx, dy, false)
		switch {
		case err != nil, !s.To.Set:
			return settle.Effect{Element: moved.Element, Changes: moved.Changes, Scrolled: moved.Report(dx != 0), Unscrolled: err == nil && !moved.Scrolled}, err
		case !moved.Scrolled:
			return settle.Effect{}, &locate.NoMatchError{Query: s.To.Value}
		}
	}
}

func scrolledStep(s step, e settle.Effect) string {
	if s.To.Set {
		return "scrolled to"
	}
	direction, _, _ := strings.Cut(s.Value.Value, " ")
	return scrolled(direction, e)
}

// dragStep drags from the target, or from the first point of the path, to where to says, or to the last point.
func dragStep(ctx context.Context, p *page.Page, from input.Target, s step) (settle.Effect, error) {
	o, to := input.DragOptions{Path: waypoints(s.Path), Rest: milliseconds(s.Ms.Value)}, input.Target{}
	if len(o.Path) > 0 {
		to.Point, o.Steps = &o.Path[len(o.Path)-1].Point, 1
	}
	if from == (input.Target{}) {
		from.Point, o.Path = &o.Path[0].Point, o.Path[1:]
	}
	if s.To.Set {
		var err error
		o.Steps = 0
		if to, o.Offset, err = dropOn(ctx, p, s.To.Value); err != nil {
			return settle.Effect{}, err
		}
	}
	return p.Mouse.Drag(ctx, from, to, o)
}

// places are how a step says a point, x,y, or a distance, +dx,-dy.
var places = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[?([+-]?)(\d+(?:\.\d+)?), *([+-]?\d+(?:\.\d+)?)\]?$`)
})

// dropOn reads where a drag ends: at a point, at a distance, on a ref or on what words name.
func dropOn(ctx context.Context, p *page.Page, to string) (input.Target, *document.Point, error) {
	if m := places().FindStringSubmatch(to); m != nil {
		x, _ := strconv.ParseFloat(m[1]+m[2], 64)
		y, _ := strconv.ParseFloat(m[3], 64)
		if m[1] != "" {
			return input.Target{}, &document.Point{X: x, Y: y}, nil
		}
		return input.Target{Point: &document.Point{X: x, Y: y}}, nil, nil
	}
	if isRef(to) {
		return input.Target{Ref: to}, nil, nil
	}
	ref, err := name(ctx, p, to, locate.WantAny, fieldWait)
	return input.Target{Ref: ref}, nil, err
}

// mouseStep moves the mouse along a path, with the left button down where the step says so.
func mouseStep(ctx context.Context, p *page.Page, at input.Target, s step) (settle.Effect, error) {
	switch s.Value.Value {
	case "":
		return p.Mouse.Follow(ctx, waypoints(s.Path))
	case string(input.ButtonLeft):
		return dragStep(ctx, p, at, s)
	}
	return settle.Effect{}, toolkit.Refuse(toolkit.InvalidArguments, `"left" holds the left button on the way; without a value no button is held`)
}

func selectStep(ctx context.Context, p *page.Page, at input.Target, s step) (settle.Effect, error) {
	return p.Mouse.SelectText(ctx, at.Ref, s.Value.Value, s.To.Value)
}

// upload makes a call of the tool for uploads, whose powers and policy it has.
func (r *run) upload(ctx context.Context, s step) (string, error) {
	args := map[string]any{"filePaths": s.FilePaths, "tabId": r.tab.ID()}
	for name, member := range map[string]toolkit.Opt[string]{"ref": s.Ref, "query": s.Query, "selector": s.Selector} {
		if member.Set {
			args[name] = member.Value
		}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return "", fmt.Errorf("encode the upload: %w", err)
	}
	res, err := r.call.Dispatch(ctx, toolset.ToolFileUpload, data, nil)
	said := result.TextOf(res)
	if err == nil && res.Refused {
		err = toolkit.Refuse(res.RefusalCode(), strings.TrimPrefix(said, string(res.RefusalCode())+": "))
	}
	return strings.ReplaceAll(said, "\n", "; "), err
}

func (r *run) navigate(ctx context.Context, s step) (string, error) {
	nav, err := r.tab.Navigate(ctx, r.powers.Navigation(), s.Value.Value, browser.NavigateOptions{})
	if err != nil {
		return "", err
	}
	r.unread = true
	return fmt.Sprintf("now at %s %q", nav.URL, nav.Title), nil
}

// screenshot takes a picture of the viewport, an element or a region. A later one takes its place, unless the value is each.
func (r *run) screenshot(ctx context.Context, s step) (string, error) {
	o := capture.Options{MaxSide: capture.MaxShown}
	if len(s.Region) == 4 {
		o.Clip = &capture.Rect{X: s.Region[0], Y: s.Region[1], Width: s.Region[2], Height: s.Region[3]}
	}
	err := r.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		at, err := targetOf(ctx, p, s)
		o.Ref = at.Ref
		return err
	})
	if err != nil {
		return "", err
	}
	shot, err := capture.Screenshot(ctx, r.tab, o)
	if err != nil {
		return "", err
	}
	if r.replaced {
		r.pictures = r.pictures[:len(r.pictures)-1]
	}
	r.pictures, r.replaced = append(r.pictures, toolkit.Content{Data: shot.Data, MIME: shot.MIME}), s.Value.Value != "each"
	return "picture of " + shot.Describe(), nil
}

// waypoints reads a path: [x, y, ms to get there].
func waypoints(path [][]float64) []input.Waypoint {
	out := make([]input.Waypoint, len(path))
	for i, w := range path {
		out[i].Point = document.Point{X: w[0], Y: w[1]}
		if len(w) > 2 {
			out[i].Time = time.Duration(min(max(w[2], 0), 30000) * float64(time.Millisecond))
		}
	}
	return out
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }
