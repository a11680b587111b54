package widget

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// calendarTimeout bounds the wait for a calendar to open or to turn its page, and maxTurns the
// months that are turned for one day.
const (
	calendarTimeout = 1500 * time.Millisecond
	maxTurns        = 60
)

// isoDate finds the days in a value: "2026-03-20", or "2026-03-20 to 2026-03-24" for a range.
var isoDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(\d{4})-(\d{1,2})-(\d{1,2})\b`) })

// openedCalendar is the calendar that a date field has opened.
type openedCalendar struct {
	Open    bool   `json:"open"`
	Year    int    `json:"year"`
	Month   int    `json:"month"`
	Earlier string `json:"earlier"` // ref of the control that turns to the month before; "" when there is none
	Later   string `json:"later"`
	Days    []struct {
		Day int    `json:"day"`
		Ref string `json:"ref"`
	} `json:"days"`
}

// pickDates clicks days in the calendar that a read-only date field opens, as a person does: one
// day, or the first and the last of a range. A value without days, or a field without a calendar,
// is refused.
func (s *Setter) pickDates(ctx context.Context, ref, value string) (settle.Effect, error) {
	days := isoDate().FindAllStringSubmatch(value, -1)
	refused := &document.NotEditableError{Ref: ref, Reason: "it is read-only"}
	if len(days) == 0 && clockTime().MatchString(value) {
		return s.pickTime(ctx, ref, value)
	}
	if len(days) == 0 {
		return settle.Effect{}, refused
	}
	effect, err := s.Click(ctx, input.Target{Ref: ref}, input.ClickOptions{})
	if err != nil {
		return effect, err
	}
	for _, day := range days {
		year, _ := strconv.Atoi(day[1]) // digits
		month, _ := strconv.Atoi(day[2])
		number, _ := strconv.Atoi(day[3])
		if effect, err = s.pickDay(ctx, ref, year*12+month-1, number); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
	}
	return s.withElement(ctx, effect, ref), nil
}

// draftTimeout bounds the wait for a calendar that typing has opened.
const draftTimeout = 300 * time.Millisecond

// typedDate recognises a date or a time that was typed.
var typedDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^\d{1,2}:\d{2}`) })

// commitDate presses Enter in a field whose calendar is open: until then a typed date is a draft.
// The form is not submitted. A calendar that takes another day instead is given the text again.
func (s *Setter) commitDate(ctx context.Context, value string, effect settle.Effect) (settle.Effect, error) {
	if !typedDate().MatchString(value) || effect.Element == nil || effect.Navigated {
		return effect, nil
	}
	ref := effect.Element.Ref
	var shown openedCalendar
	if _, err := s.doc.EvaluateRef(ctx, ref, "calendar", map[string]any{"limit": document.Remaining(ctx, draftTimeout)}, &shown); err != nil || !shown.Open {
		return effect, nil // a field without a calendar, or one that left the page
	}
	typed := effect.Element.Value
	if _, err := s.doc.EvaluateRef(ctx, ref, "guardSubmit", nil, nil); err != nil {
		return effect, fmt.Errorf("setting %s: %w", ref, err)
	}
	pressed, err := s.keyboard.Press(ctx, "Enter")
	if err != nil {
		return effect, fmt.Errorf("setting %s: %w", ref, err)
	}
	pressed = s.withElement(ctx, pressed, ref)
	if pressed.Element != nil && pressed.Element.Ref == ref && pressed.Element.Value != typed {
		_, err = s.typeOver(ctx, value)
		pressed = s.withElement(ctx, pressed, ref)
	}
	return pressed, err
}

// pickDay turns the calendar to a month, counted from year 0, and clicks a day of it.
func (s *Setter) pickDay(ctx context.Context, ref string, month, day int) (settle.Effect, error) {
	for range maxTurns {
		var shown openedCalendar
		if _, err := s.doc.EvaluateRef(ctx, ref, "calendar", map[string]any{"limit": document.Remaining(ctx, calendarTimeout)}, &shown); err != nil {
			return settle.Effect{}, err
		}
		if !shown.Open {
			return settle.Effect{}, &document.NotEditableError{Ref: ref, Reason: "it is read-only, and no calendar opens that shows its month"}
		}
		at := shown.Year*12 + shown.Month - 1
		turn := shown.Later
		switch {
		case at == month:
			for _, d := range shown.Days {
				if d.Day == day {
					return s.Click(ctx, input.Target{Ref: d.Ref}, input.ClickOptions{})
				}
			}
			return settle.Effect{}, &document.NotEditableError{Ref: ref, Reason: fmt.Sprintf("its calendar offers no day %d in that month", day)}
		case at > month:
			turn = shown.Earlier
		}
		if turn == "" {
			return settle.Effect{}, &document.NotEditableError{Ref: ref, Reason: "its calendar cannot be turned to that month"}
		}
		if effect, err := s.Click(ctx, input.Target{Ref: turn}, input.ClickOptions{}); err != nil {
			return effect, err
		}
	}
	return settle.Effect{}, &document.NotEditableError{Ref: ref, Reason: "its calendar did not come to that month"}
}
