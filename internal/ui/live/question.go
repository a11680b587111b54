package live

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
)

// graceTime is the time for which questions that only a watching person can answer stay after the last one has
// left: a page that is loaded again is back by then.
const graceTime = 10 * time.Second

// ErrAnswered says that a question has been answered elsewhere, or waits no more.
var ErrAnswered = errors.New("this question was answered elsewhere, or its call waits no more")

// Question is a question that waits for a person.
type Question struct {
	ID      string          `json:"id"`
	Session string          `json:"session"`
	Tool    string          `json:"tool"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema"` // of the values of an answer: an object of texts with choices
	AskedAt time.Time       `json:"at"`
}

type question struct {
	Question

	reply chan toolkit.Reply // has room for one; closed without one when no person watches any more
}

// Show shows a question of a call until withdraw is called. reply receives at most one answer. It is
// closed when no person has watched for graceTime.
func (h *Hub) Show(session, tool string, q toolkit.Question) (reply <-chan toolkit.Reply, withdraw func()) {
	shown := &question{
		Question: Question{ID: rand.Text(), Session: session, Tool: tool, Message: q.Message, Schema: q.Schema, AskedAt: time.Now()},
		reply:    make(chan toolkit.Reply, 1),
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.questions = append(h.questions, shown)
	h.notify()
	return shown.reply, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.remove(shown)
	}
}

// remove takes a question off the list, if it is there. The caller holds mu.
func (h *Hub) remove(q *question) {
	if i := slices.Index(h.questions, q); i >= 0 {
		h.questions = slices.Delete(h.questions, i, i+1)
		h.notify()
	}
}

// Answer answers an open question. The first answer counts; the error of every other is ErrAnswered.
func (h *Hub) Answer(id string, reply toolkit.Reply) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.questions {
		if q.ID == id {
			h.remove(q)
			q.reply <- reply
			return nil
		}
	}
	return ErrAnswered
}

// withdrawUnwatched ends all questions unless a person has come back.
func (h *Hub) withdrawUnwatched() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Watched() || len(h.questions) == 0 {
		return
	}
	for _, q := range h.questions {
		close(q.reply)
	}
	h.questions = nil
	h.notify()
}

// openQuestions copies the questions. The caller holds mu.
func (h *Hub) openQuestions() []Question {
	return slicesx.List(h.questions, func(q *question) Question { return q.Question })
}
