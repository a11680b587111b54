// Package workspace keeps which project each session works in, and tells sessions their facts.
//
// Facts are derived from the data after each change, for every session of the person who made it, and
// are never counted along. The package must not know tools or how sessions come to be.
package workspace

import (
	"context"
	"errors"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/tracker/generated/codes"
	"github.com/callsheet/callsheet/examples/tracker/generated/toolset"
	"github.com/callsheet/callsheet/examples/tracker/internal/store"
)

// Set is the workspaces of all sessions. It is safe for concurrent use.
type Set struct {
	store *store.Store

	mu       sync.Mutex
	sessions map[string]*workspace // by the ID of the session

	refreshing sync.Mutex // held from reading the data to telling the facts, so that no older facts come last
}

// workspace is the state of one session: its owner and its selected project.
type workspace struct {
	owner   string
	project string // "" while none is selected
	state   *toolset.State
}

// New makes a set without a session.
func New(s *store.Store) *Set { return &Set{store: s, sessions: make(map[string]*workspace)} }

// Of returns what the person behind a call has.
func (s *Set) Of(call *toolkit.Call) store.Owned { return s.store.Of(call.Principal()) }

// Project is the selected project of the session, "" when there is none.
func (s *Set) Project(call *toolkit.Call) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.sessions[call.Session.ID]; w != nil && w.owner == call.Principal() {
		return w.project
	}
	return ""
}

// Select makes a project that the person has the one that the session works in.
func (s *Set) Select(ctx context.Context, call *toolkit.Call, project string) error {
	if _, err := s.Of(call).Project(ctx, project); err != nil {
		return err
	}
	s.mu.Lock()
	w := s.sessions[call.Session.ID]
	if w == nil || w.owner != call.Principal() {
		w = &workspace{owner: call.Principal(), state: toolset.NewState(call.Session.Replace)}
		s.sessions[call.Session.ID] = w
	}
	w.project = project
	s.mu.Unlock()
	return s.Refresh(ctx, call)
}

// Refresh tells every session of the person behind a call what is true now. Handlers call it when they
// have changed something.
func (s *Set) Refresh(ctx context.Context, call *toolkit.Call) error {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	for _, w := range s.of(call.Principal()) {
		facts, err := s.factsOf(ctx, w)
		if err != nil {
			return err
		}
		w.state.Observe(facts)
	}
	return nil
}

// of lists the workspaces of a person.
func (s *Set) of(owner string) (out []*workspace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.sessions {
		if w.owner == owner {
			out = append(out, w)
		}
	}
	return out
}

// factsOf reads what is true of a workspace.
func (s *Set) factsOf(ctx context.Context, w *workspace) (facts toolkit.Facts, err error) {
	s.mu.Lock()
	name := w.project
	s.mu.Unlock()
	if name == "" {
		return 0, nil
	}
	project, err := s.store.Of(w.owner).Project(ctx, name)
	var refused *toolkit.Refusal
	switch {
	case errors.As(err, &refused) && refused.Code == codes.NotFound:
		s.mu.Lock()
		w.project = ""
		s.mu.Unlock()
		return 0, nil
	case err != nil:
		return 0, err
	}
	return toolset.FactProjectSelected | toolset.FactHasIssues.If(project.Issues > 0), nil
}

// End forgets a session.
func (s *Set) End(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, session)
}
