package widget

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// clockTime is a time of day: "9:30", "09:30:15", "9:30 pm".
var clockTime = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]m)?$`) })

// openedClock is the popup of a time field: an input for each part of the time.
type openedClock struct {
	Parts []string `json:"parts"` // refs of the inputs for hours, minutes and perhaps seconds
	// Half is the ref of the switch between the halves of the day, "" for 24 hours, and HalfText what it
	// shows.
	Half     string `json:"half"`
	HalfText string `json:"halfText"`
}

// pickTime sets the hours and minutes in the popup that a read-only time field opens.
func (s *Setter) pickTime(ctx context.Context, ref, value string) (settle.Effect, error) {
	effect, err := s.Click(ctx, input.Target{Ref: ref}, input.ClickOptions{})
	if err != nil {
		return effect, err
	}
	var clock openedClock
	argument := map[string]any{"limit": document.Remaining(ctx, calendarTimeout)}
	if _, err := s.doc.EvaluateRef(ctx, ref, "clock", argument, &clock); err != nil {
		return effect, fmt.Errorf("setting %s: %w", ref, err)
	}
	if len(clock.Parts) < 2 {
		reason := "it is read-only; it was clicked, and no inputs for hours and minutes came; read the page"
		return effect, fmt.Errorf("setting %s: %w", ref, &document.NotEditableError{Ref: ref, Reason: reason})
	}
	said := clockTime().FindStringSubmatch(value)
	parts, half := timeParts(said, clock.Half != "")
	for i, part := range clock.Parts[:min(len(clock.Parts), 3)] {
		if effect, err = s.SetValue(ctx, part, parts[i]); err != nil {
			return effect, err
		}
	}
	if clock.Half != "" && !strings.EqualFold(clock.HalfText, half) {
		if effect, err = s.Click(ctx, input.Target{Ref: clock.Half}, input.ClickOptions{}); err != nil {
			return effect, err
		}
	}
	if _, err := s.doc.EvaluateRef(ctx, ref, "guardSubmit", nil, nil); err != nil {
		return effect, fmt.Errorf("setting %s: %w", ref, err)
	}
	if effect, err = s.keyboard.Press(ctx, "Enter"); err != nil {
		return effect, err
	}
	return s.withElement(ctx, effect, ref), nil
}

// timeParts returns hours, minutes and seconds as a popup takes them, and the half of the day for one
// of twelve hours.
func timeParts(said []string, twelve bool) (parts [3]string, half string) {
	hour, _ := strconv.Atoi(said[1]) // digits
	switch {
	case strings.EqualFold(said[4], "pm") && hour < 12:
		hour += 12
	case strings.EqualFold(said[4], "am") && hour == 12:
		hour = 0
	}
	half = "AM"
	if hour >= 12 {
		half = "PM"
	}
	if twelve {
		hour = cmp.Or(hour%12, 12)
	}
	return [3]string{fmt.Sprintf("%02d", hour), said[2], cmp.Or(said[3], "00")}, half
}
