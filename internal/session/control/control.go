package control

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callsheet/callsheet/internal/session"
)

// Config has the times of a take-over. The zero value is the default.
type Config struct {
	// HoldTime is the time for which a call of the agent waits for the person before it is refused; 0 means 45 s,
	// because clients give up after a minute.
	HoldTime time.Duration
	// TakeTime is the time for which Take waits for an action that runs, before it is interrupted; 0 means 10 s.
	TakeTime time.Duration
	// AbsenceTime is the time for which a person may be disconnected before the session is handed back; 0 means 15 s.
	AbsenceTime time.Duration
}

func (c Config) withDefaults() Config {
	c.HoldTime = cmp.Or(c.HoldTime, 45*time.Second)
	c.TakeTime = cmp.Or(c.TakeTime, 10*time.Second)
	c.AbsenceTime = cmp.Or(c.AbsenceTime, 15*time.Second)
	return c
}

// Controls are the take-overs of all sessions of a process. Its methods are safe for concurrent use.
type Controls struct {
	cfg         Config
	connections *session.Registry
	enabled     atomic.Bool
	concerned   atomic.Int32 // sessions that are held, or have unreported changes

	mu       sync.Mutex
	sessions map[string]*controller
	closed   bool
}

// New returns the take-overs of the sessions of a registry. Nothing is held before Enable.
func New(connections *session.Registry, cfg Config) *Controls {
	return &Controls{cfg: cfg.withDefaults(), connections: connections, sessions: make(map[string]*controller)}
}

// Enable lets persons take over. It is called before the first call of a server that serves the page for it;
// without it a call costs one atomic load.
func (c *Controls) Enable() { c.enabled.Store(true) }

// UnknownSessionError reports that no client has this session.
type UnknownSessionError struct{ ID string }

func (e *UnknownSessionError) Error() string { return fmt.Sprintf("there is no session %q", e.ID) }

// InControlError reports that another person controls the session.
type InControlError struct{ Since time.Time }

func (e *InControlError) Error() string {
	return "another person has controlled the session since " + e.Since.UTC().Format(time.TimeOnly) + " UTC"
}

// NotInControlError reports that the person does not control the session: it was handed back, perhaps because the
// person was disconnected.
type NotInControlError struct{}

func (*NotInControlError) Error() string { return "you do not control the session; take over first" }

// controller returns the controller of a session, made at first use; *UnknownSessionError without one.
func (c *Controls) controller(id string) (*controller, error) {
	set := c.connections.Find(id)
	if set == nil {
		return nil, &UnknownSessionError{ID: id}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, &UnknownSessionError{ID: id}
	}
	s := c.sessions[id]
	if s == nil {
		s = &controller{all: c, id: id, set: set, attending: make(map[string]int), changed: make(chan struct{}), ended: make(chan struct{})}
		c.sessions[id] = s
	}
	return s, nil
}

// existing returns the controller of a session, or nil if no person has used one.
func (c *Controls) existing(id string) *controller {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// State is the part of a session that a person sees.
type State struct {
	Held    bool      `json:"held"`    // a person controls it
	Mine    bool      `json:"mine"`    // the asking one does
	Since   time.Time `json:"since"`   // zero when it is free
	Waiting int       `json:"waiting"` // calls of the agent that wait
	Untold  int       `json:"untold"`  // reports and annotations that the agent has not got yet
	Ended   string    `json:"ended"`   // why the latest take-over ended; "" while one lasts
	Dialogs []Dialog  `json:"dialogs"`
}

// Dialog is a JavaScript dialog that waits for an answer.
type Dialog struct {
	Tab     string `json:"tab"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Default string `json:"default"`
}

// State returns the state of a session for a person, and a channel that is closed at its next change.
func (c *Controls) State(id, person string) (State, <-chan struct{}, error) {
	s, err := c.controller(id)
	if err != nil {
		return State{}, nil, err
	}
	state, changed := s.state(person)
	return state, changed, nil
}

// EndSession hands a session back whose client has gone, and forgets it.
func (c *Controls) EndSession(id string) {
	c.mu.Lock()
	s := c.sessions[id]
	delete(c.sessions, id)
	c.mu.Unlock()
	if s != nil {
		s.end("the session ended")
	}
	c.connections.Holds().Forget(id)
}

// Close hands every session back. Nothing can be taken over afterwards.
func (c *Controls) Close() {
	c.mu.Lock()
	all := c.sessions
	c.sessions, c.closed = make(map[string]*controller), true
	c.mu.Unlock()
	for _, s := range all {
		s.end("the server ends")
	}
}
