package enforce

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/policy"
)

// askTimeout bounds the wait for a person.
const askTimeout = 2 * time.Minute

// maxPending bounds the questions of a session whose answers are awaited in repeated calls.
const maxPending = 64

// What an answer covers.
const (
	coversCall    = "this call"
	coversSession = "this tool, for the session"
	coversOrigin  = "this tool on this origin, for the session"
)

// asked is a call that a person decides about.
type asked struct {
	subject

	origin   string
	decision policy.Decision
	about    string // what a person must know of the tool, "" for nothing
}

// approval is a person's permission for the rest of a session.
type approval struct {
	tool, rule string
	origin     string
	anyOrigin  bool
}

// pendingQuestion is a question whose answer comes with a repeated call, or from a reviewer.
type pendingQuestion struct {
	asked
	at     time.Time
	review *review
}

func (s *session) isApproved(a asked) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.approved {
		if p.tool == a.name && p.rule == a.decision.Rule.String() && (p.anyOrigin || p.origin == a.origin && a.origin != "") {
			return true
		}
	}
	return false
}

func (s *session) approve(a asked, covers string) {
	if covers != coversSession && covers != coversOrigin {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.approved = append(s.approved, approval{tool: a.name, rule: a.decision.Rule.String(), origin: a.origin, anyOrigin: covers == coversSession})
}

// addPending remembers a question and returns the state that the repeated call brings back. The question
// is withdrawn from the reviewer when the call is not repeated in time.
func (s *session) addPending(a asked, r *review, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for state, q := range s.pending {
		if now.Sub(q.at) > askTimeout {
			delete(s.pending, state)
		}
	}
	if s.pending == nil || len(s.pending) >= maxPending {
		for _, q := range s.pending {
			q.review.withdraw()
		}
		s.pending = make(map[string]pendingQuestion)
	}
	time.AfterFunc(askTimeout, r.withdraw)
	a.call, a.tool = nil, nil // the question outlives the call
	state := "policy-" + rand.Text()
	s.pending[state] = pendingQuestion{a, now, r}
	return state
}

// takePending returns whether a state is that of a question about this very call, and how the reviewer was
// asked. It is good once.
func (s *session) takePending(state string, a asked) (r *review, known, same bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, known := s.pending[state]
	delete(s.pending, state)
	return q.review, known, known && q.name == a.name && q.origin == a.origin && bytes.Equal(q.args, a.args) &&
		q.decision.Rule == a.decision.Rule
}

// ask asks the person behind a call: at once, or by a question that the client answers when it
// repeats the call. A step of a workflow asks at once alone: the workflow would begin again. A person who
// watches the server is asked at the same time; the first answer counts. The error is the refusal.
func (e *Enforcer) ask(ctx context.Context, state *session, a asked) (*toolkit.Ask, error) {
	question, call := e.question(a), a.call
	if answer := call.Answer(); answer != nil && answer.Reply != nil && !a.step {
		if r, known, same := state.takePending(answer.State, a); known {
			reviewed, first := r.take()
			if same {
				call.DropAnswer() // a workflow has questions of its own
				if first {
					return nil, e.settle(state, a, reviewed)
				}
				return nil, e.settle(state, a, *answer.Reply)
			}
		}
	}
	later := !call.Elicits() && call.ElicitsLater() && !a.step
	if later {
		return &toolkit.Ask{Question: &question, State: state.addPending(a, e.review(a, question), time.Now())}, nil
	}
	reply, err := e.askNow(ctx, a, question)
	if err != nil {
		return nil, e.unanswered(a, err)
	}
	return nil, e.settle(state, a, reply)
}

// settle takes over the reply of a person.
func (e *Enforcer) settle(state *session, a asked, reply toolkit.Reply) error {
	d := a.decision
	covers, _ := reply.Values["covers"].(string)
	if reply.Action != toolkit.Accept {
		d.Verdict = policy.Deny
		e.note(a.call.Session.ID, kindCall, a.name, d)
		return refusal(toolkit.PolicyDenied, "the person did not allow "+a.name, d)
	}
	d.Verdict = policy.Allow
	e.note(a.call.Session.ID, kindCall, a.name, d)
	state.approve(a, covers)
	return nil
}

// unanswered is the refusal of a call about which no person could be asked.
func (e *Enforcer) unanswered(a asked, err error) error {
	e.note(a.call.Session.ID, kindCall, a.name, a.decision)
	return refusal(codes.ConfirmationRequired, fmt.Sprintf("%s needs the consent of a person, and %v", a.name, err), a.decision)
}

// question shows the tool, the origin and the arguments without secrets.
func (e *Enforcer) question(a asked) toolkit.Question {
	text := "Allow " + a.name
	covers := []string{coversCall, coversSession}
	if a.origin != "" {
		text += " on " + a.origin
		covers = append(covers, coversOrigin)
	}
	if e.cfg.Describe != nil {
		if a.about != "" {
			text += "?\n" + a.about + "\nAllow it"
		}
		text += "?\nArguments: " + e.cfg.Describe(a.tool, a.args)
	}
	schema, _ := json.Marshal(map[string]any{ // texts always encode
		"type": "object",
		"properties": map[string]any{"covers": map[string]any{
			"type": "string", "title": "Allow", "enum": covers, "default": coversCall,
		}},
	})
	return toolkit.Question{Message: text + "\nAsked by " + a.decision.Rule.String(), Schema: schema}
}
