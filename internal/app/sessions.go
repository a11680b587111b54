package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/savedsession"
	"github.com/callsheet/callsheet/internal/login/statefile"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/session/storagestate"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// stdioName is the name under which the session of a client on standard input and output is kept.
const stdioName = "stdio"

// sessionSaver gives new browser contexts their storage state, and writes it back at the end.
type sessionSaver struct {
	initial statefile.State
	path    string // file that the state of the profile's user is written to at the end, or ""
	keep    bool
	daemon  bool // the ids of sessions are names
	user    *profileUser
	store   *savedsession.Store
	log     *slog.Logger

	mu    sync.Mutex // held while a session is saved
	ended map[string]bool
}

func newSessionSaver(cfg Config, dir statedir.Dir, user *profileUser) (*sessionSaver, error) {
	k := &sessionSaver{
		path: cfg.SaveStorageState, keep: cfg.KeepSessions, daemon: cfg.SharedSession != "", user: user,
		store: savedsession.New(dir, cfg.sealer()), log: cfg.logger(), ended: make(map[string]bool),
	}
	if cfg.StorageState == "" {
		return k, nil
	}
	var err error
	if k.initial, err = statefile.Read(cfg.StorageState); err != nil {
		return nil, fmt.Errorf("the storage state cannot be used: %w", err)
	}
	return k, nil
}

// isNeeded reports whether new contexts begin with a state.
func (s *sessionSaver) isNeeded() bool {
	return s.keep || len(s.initial.Cookies) > 0 || len(s.initial.Origins) > 0
}

// name returns the name under which a session is kept, or "".
func (s *sessionSaver) name(id string) string {
	switch {
	case !s.keep:
		return ""
	case s.daemon && savedsession.ValidName(id):
		return id
	case !s.daemon && s.user.is(id):
		return stdioName
	}
	return ""
}

// initialState returns the state that the contexts of a session begin with: its kept one, or else
// that of the configuration.
func (s *sessionSaver) initialState(id string) (statefile.State, error) {
	name := s.name(id)
	if name == "" {
		return s.initial, nil
	}
	saved, err := s.store.Load(power.NewSecret(operator.Grant("sessions")), name)
	if errors.Is(err, savedsession.ErrUnknown) {
		return s.initial, nil
	}
	return saved.State, err
}

// end saves a session that is about to end. The second call for a session waits for the first and does
// nothing, until forget.
func (s *sessionSaver) end(ctx context.Context, connections *session.Registry, id string) {
	name, file := s.name(id), ""
	if s.path != "" && s.user.is(id) {
		file = s.path
	}
	if name == "" && file == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended[id] {
		return
	}
	s.ended[id] = true
	if err := s.save(ctx, connections, id, name, file); err != nil && !errors.Is(err, browser.ErrNoContext) && !errors.Is(err, browser.ErrForeignContext) {
		s.log.Error("the storage state of a session is not saved", "session", id, "error", err)
	}
}

// forget lets a later session with the id be saved again.
func (s *sessionSaver) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ended, id)
}

func (s *sessionSaver) save(ctx context.Context, connections *session.Registry, id, name, file string) error {
	own, err := connections.Set(id).Get(session.Default)
	if err != nil {
		return err
	}
	grant := operator.Grant("sessions")
	captured, err := own.Session().State.Capture(ctx, power.NewStorage(grant))
	if err != nil {
		return err
	}
	var errs []error
	if file != "" {
		errs = append(errs, statefile.Write(file, captured.State))
	}
	if name != "" {
		saved := savedsession.Session{Saved: time.Now(), State: captured.State, Tabs: storagestate.Tabs(ctx, own.Session())}
		_, err := s.store.Save(power.NewSecret(grant), name, saved)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// endAll saves every session that has not ended.
func (s *sessionSaver) endAll(ctx context.Context, connections *session.Registry) {
	for _, id := range connections.IDs() {
		s.end(ctx, connections, id)
	}
}
