package watch

import (
	"bytes"
	"encoding/json"

	"github.com/callsheet/callsheet/internal/ui"
)

// sent sends one kind of event when its data has changed.
type sent struct {
	out   *ui.Stream
	event string
	last  []byte // nil before the first
}

// send sends the data unless it was sent last.
func (s *sent) send(data any) error {
	text, err := json.Marshal(data)
	if err != nil || bytes.Equal(s.last, text) {
		return err
	}
	s.last = text
	return s.out.Send(s.event, json.RawMessage(text))
}
