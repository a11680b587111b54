package control

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/mark"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

const (
	// maxAnnotations is the number of annotations that wait for the agent at most.
	maxAnnotations = 4
	// maxPictureSide is the longest side of the picture of an annotation in pixels.
	maxPictureSide = 1280
)

// Area is an area that a person marks, in CSS pixels of the top viewport. Without a size it is a point, and the element
// there is marked.
type Area struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Annotated is a marked element: the element, with the ref that the agent gets.
type Annotated struct {
	Ref  string `json:"ref"` // "" where there is no element
	Role string `json:"role"`
	Name string `json:"name"`
}

// TooManyError reports that the agent has not got the annotations before.
type TooManyError struct{}

func (*TooManyError) Error() string {
	return fmt.Sprintf("%d annotations wait for the agent's next call; it has to get them first", maxAnnotations)
}

// annotation is a marked picture with the words of the person.
type annotation struct {
	Annotated

	tab     string
	area    Area
	text    string
	picture []byte // PNG
}

func (a annotation) content() []toolkit.Content {
	words := text.ClipRunes(strings.TrimSpace(fence.Clean(a.text)), maxNote)
	head := fmt.Sprintf("a person marked a place in tab %s, at %.0f,%.0f", a.tab, a.area.X, a.area.Y)
	if a.area.Width > 0 {
		head += fmt.Sprintf(" (%.0f×%.0f)", a.area.Width, a.area.Height)
	}
	if words != "" {
		head += ":\n" + words
	}
	if a.Role != "" {
		e := document.Element{Ref: a.Ref, Role: a.Role, Name: a.Name}
		head += "\nthe element there:\n" + fence.Quote(fence.Line(e.Line()))
	}
	return []toolkit.Content{{Text: head}, {Data: a.picture, MIME: "image/png"}}
}

// Annotate marks an area or a point for the agent, without taking over: its next result has the text of the person, the ref of
// the element there and a picture with the mark. The errors are UnknownSessionError, TooManyError,
// browser.UnknownTabError and others of a tab.
func (c *Controls) Annotate(ctx context.Context, id, tab string, area Area, words string) (Annotated, error) {
	s, err := c.controller(id)
	if err != nil {
		return Annotated{}, err
	}
	s.mu.Lock()
	full := len(s.annotations) >= maxAnnotations
	s.mu.Unlock()
	if full {
		return Annotated{}, &TooManyError{}
	}
	t := s.set.Peek("", tab)
	if t == nil {
		return Annotated{}, &browser.UnknownTabError{ID: tab}
	}
	a, err := annotate(ctx, t, area)
	if err != nil {
		return Annotated{}, err
	}
	a.text = words
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.annotations) >= maxAnnotations {
		return Annotated{}, &TooManyError{}
	}
	s.annotations = append(s.annotations, a)
	s.concernLocked()
	s.notifyLocked()
	return a.Annotated, nil
}

// annotate finds the element in the middle of the area, and draws the mark into a picture of the page.
func annotate(ctx context.Context, t *browser.Tab, area Area) (annotation, error) {
	out := annotation{tab: t.ID(), area: area}
	var box document.Box
	err := t.Do(ctx, func(ctx context.Context, p *page.Page) error {
		e, found, err := p.Mouse.ElementAtPoint(ctx, document.Point{X: area.X + area.Width/2, Y: area.Y + area.Height/2})
		if err != nil || !found {
			return err
		}
		out.Annotated, box = Annotated{Ref: e.Ref, Role: e.Role, Name: e.Name}, e.Box
		return nil
	})
	if err != nil {
		return out, err
	}
	if area.Width < 1 || area.Height < 1 {
		area = Area{X: area.X - 12, Y: area.Y - 12, Width: 24, Height: 24}
		if box.Width > 0 {
			area = Area(box)
		}
	}
	shot, err := capture.Screenshot(ctx, t, capture.Options{MaxSide: maxPictureSide})
	if err != nil {
		return out, err
	}
	pixels := func(v float64) int { return int(math.Round(v * shot.Scale)) }
	out.picture, err = mark.Draw(shot.Data, []mark.Box{{
		Label: out.Ref, X: pixels(area.X), Y: pixels(area.Y), Width: pixels(area.Width), Height: pixels(area.Height),
	}}, mark.Options{Boxes: true})
	return out, err
}
