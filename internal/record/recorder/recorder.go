package recorder

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/network"
)

// Pictures keeps the picture of a step and returns its artifact id.
type Pictures func(ctx context.Context, session, name string, jpeg []byte) (id string, err error)

// Config is what a recorder works with. Every field may be left out but Archive.
type Config struct {
	Archive  *Archive
	Eye      Eye                 // nil: steps have no tabs, elements, requests, messages and pictures
	Pictures Pictures            // nil: no pictures
	Redact   func(string) string // takes the vault's secrets out of a text
	Values   []string            // the vault's secrets
	Logger   *slog.Logger
}

// Recorder writes down the calls of the sessions that are being recorded. Its methods are safe for concurrent use.
type Recorder struct {
	cfg  Config
	live atomic.Int32 // recordings that go on; 0 makes the layer free

	mu     sync.Mutex
	active map[string]*active // by session
}

// New makes a recorder of which no session is recorded.
func New(cfg Config) *Recorder {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Redact == nil {
		cfg.Redact = func(text string) string { return text }
	}
	return &Recorder{cfg: cfg, active: make(map[string]*active)}
}

// Archive is where the recordings are.
func (r *Recorder) Archive() *Archive { return r.cfg.Archive }

// BusyError says that a session is being recorded already.
type BusyError struct{ ID string }

func (e *BusyError) Error() string { return fmt.Sprintf("recording %s goes on in this session", e.ID) }

// ErrIdle says that a session is not being recorded.
var ErrIdle = errors.New("nothing is being recorded in this session")

// Options say how to record.
type Options struct {
	Label    string
	Resume   string // id of a recording to go on with; "" begins one
	Pictures bool
}

// Start begins to record a session, from its next call on. The errors are BusyError and, for Resume, ErrNone.
func (r *Recorder) Start(ctx context.Context, session string, o Options) (Recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.active[session]; a != nil {
		return Recording{}, &BusyError{ID: a.id}
	}
	a := &active{recorder: r, owner: rand.Text(), session: session, pictures: o.Pictures}
	var rec Recording
	var err error
	if o.Resume == "" {
		rec, err = r.cfg.Archive.Begin(ctx, session, r.cfg.Redact(o.Label), a.owner)
	} else if rec, err = r.cfg.Archive.Resume(ctx, o.Resume, session, a.owner); err == nil {
		err = a.recall(ctx, rec)
	}
	if err != nil {
		return Recording{}, err
	}
	a.id = rec.ID
	if r.cfg.Eye != nil {
		a.look = r.cfg.Eye.Open(session)
	}
	r.active[session] = a
	r.live.Add(1)
	return rec, nil
}

// Stop ends the recording of a session. The error is ErrIdle, or ErrTaken when it was resumed elsewhere meanwhile.
func (r *Recorder) Stop(ctx context.Context, session string) (Recording, error) {
	a := r.drop(session, nil)
	if a == nil {
		return Recording{}, ErrIdle
	}
	a.close()
	return r.cfg.Archive.Stop(ctx, a.id, a.owner)
}

// Active is the id of the recording that goes on in a session, or "".
func (r *Recorder) Active(session string) string {
	if a := r.of(session); a != nil {
		return a.id
	}
	return ""
}

// Close stops every recording, at the end of the process.
func (r *Recorder) Close(ctx context.Context) error {
	r.mu.Lock()
	var sessions []string
	for session := range r.active {
		sessions = append(sessions, session)
	}
	r.mu.Unlock()
	var errs []error
	for _, session := range sessions {
		if _, err := r.Stop(ctx, session); err != nil && !errors.Is(err, ErrIdle) && !errors.Is(err, ErrTaken) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// drop takes a session's recording out; only, unless it is nil, must be it.
func (r *Recorder) drop(session string, only *active) *active {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.active[session]
	if a == nil || only != nil && a != only {
		return nil
	}
	delete(r.active, session)
	r.live.Add(-1)
	return a
}

func (r *Recorder) of(session string) *active {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active[session]
}

// Layer records the calls that clients make. What those dispatch in turn is not recorded, as a replay of the step does it
// again, but the secrets that it meets are remembered. A call without effect on anything recorded costs one load.
func (r *Recorder) Layer(next toolkit.Next) toolkit.Next {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.Result, error) {
		if r.live.Load() == 0 {
			return next(ctx, v, req)
		}
		a, t := r.of(v.ID), v.Surface().Tool(req.Tool)
		if a == nil || t == nil || t.Traits.Record == toolset.RecordSkip {
			return next(ctx, v, req)
		}
		return a.record(ctx, v, t, req, next)
	}
}

// record makes a call and writes it down before it is answered.
func (a *active) record(ctx context.Context, v *toolkit.Session, t *toolkit.Tool, req toolkit.Request, next toolkit.Next) (toolkit.Result, error) {
	c := readCall(t, req.Args)
	var before Before
	if a.look != nil {
		before = a.look.Before(ctx, c.question())
	}
	begun := time.Now()
	res, err := next(ctx, v, req)
	if err != nil || res.Ask != nil {
		return res, err // the caller has gone, or the call comes again with an answer
	}
	s := Step{Tool: t.Name, At: begun.UTC(), Took: time.Since(begun), Outcome: "ok"}
	if code := res.RefusalCode(); code != "" {
		s.Outcome = string(code)
	}
	nested := toolkit.Nested(ctx) > 0
	ctx = context.WithoutCancel(ctx) // the call has had its effect, whatever becomes of its caller now
	masks := c.masks(before)
	a.learn(c, masks, res)
	text := a.redacting(masks, bytes.Contains(req.Args, []byte("{secret:")))
	after := a.after(ctx, c, before, nested)
	if nested {
		return res, nil
	}
	a.fill(&s, c, masks, text, before, after, res)
	a.keepPicture(ctx, &s, after.Picture)
	switch err := a.recorder.cfg.Archive.Append(ctx, a.id, a.owner, &s); {
	case err == nil, a.closed.Load(): // stopped while the call ran
	case errors.Is(err, ErrTaken):
		if a.recorder.drop(a.session, a) != nil {
			a.close()
		}
		res.Content = append(slices.Clip(res.Content), toolkit.Content{Text: "not recorded: recording " + a.id + " was resumed elsewhere, and goes on there"})
	default:
		a.recorder.cfg.Logger.Warn("write a recording", "error", err)
		res.Content = append(slices.Clip(res.Content), toolkit.Content{Text: "not recorded: " + err.Error()})
	}
	return res, nil
}

// code finds one-time codes in the answer of the tool that makes them.
func code(res toolkit.Result) (out []string) {
	for _, c := range res.Content {
		word, _, _ := strings.Cut(c.Text, ",")
		if n := len(word); n >= shortest && n <= 10 && strings.Trim(word, "0123456789") == "" {
			out = append(out, word)
		}
	}
	return out
}

// learn notes the secrets that a call brought or made.
func (a *active) learn(c *call, masks []text, res toolkit.Result) {
	for _, t := range masks {
		a.known.learn(t.value)
	}
	eachText(c.args, func(arg string) {
		if strings.Contains(arg, "://") {
			a.known.learnTokens(network.SecretsIn(arg))
		}
		if name, value, ok := strings.Cut(arg, ":"); ok && network.RedactHeader(strings.TrimSpace(name), "x") == network.Redacted {
			a.known.learnTokens(strings.Fields(value)) // Bearer and what it bears
		}
	})
	if c.tool.Traits.Shows == toolset.ShowsCode {
		a.known.learn(code(res)...)
	}
	for pointer, role := range c.roles {
		value, _ := valueAt(c.args, pointer).(string)
		if role == toolset.RoleSecret || role == toolset.RoleStored && len(value) >= token {
			a.known.learn(value)
		}
	}
}
