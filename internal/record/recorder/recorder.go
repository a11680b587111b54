package recorder

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/argument"
)

// SaveScreenshot stores the JPEG of a step and returns its artifact id.
type SaveScreenshot func(ctx context.Context, session, name string, jpeg []byte) (id string, err error)

// Config holds the dependencies of a recorder. Every field but Archive is optional.
type Config struct {
	Archive        *Archive
	Observer       Observer            // nil: steps have no tabs, elements, requests, messages and pictures
	SaveScreenshot SaveScreenshot      // nil: no pictures
	Redact         func(string) string // takes the vault's secrets out of a text
	SecretValues   []string            // the vault's secrets
	Reference      func(string) string // writes the vault's secrets in a typed text as references
	Logger         *slog.Logger
}

// Recorder records the calls of sessions for which Start was called. Its methods are safe for
// concurrent use.
type Recorder struct {
	cfg         Config
	activeCount atomic.Int32 // recordings that go on; 0 makes the layer free

	mu     sync.Mutex
	active map[string]*sessionRecording // by session
}

// New returns a recorder that records no session.
func New(cfg Config) *Recorder {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Redact == nil {
		cfg.Redact = func(text string) string { return text }
	}
	return &Recorder{cfg: cfg, active: make(map[string]*sessionRecording)}
}

// Archive returns the store of the recordings.
func (r *Recorder) Archive() *Archive { return r.cfg.Archive }

// AlreadyRecordingError says that the session has an active recording.
type AlreadyRecordingError struct{ ID string }

func (e *AlreadyRecordingError) Error() string {
	return fmt.Sprintf("recording %s goes on in this session", e.ID)
}

// Code returns fault.Failed.
func (e *AlreadyRecordingError) Code() codes.Code { return codes.Failed }

// Fields returns the id of the recording.
func (e *AlreadyRecordingError) Fields() []fault.Field {
	return []fault.Field{{Name: "recordingId", Value: e.ID}}
}

// ErrNotRecording says that the session has no active recording.
var ErrNotRecording = fault.New(codes.Failed, "nothing is being recorded in this session")

// Options are the options of Start.
type Options struct {
	Label       string
	Resume      string // id of a recording to go on with; "" begins one
	Screenshots bool
}

// Start records a session from its next call on. The errors are AlreadyRecordingError and, for
// Options.Resume, ErrNotFound.
func (r *Recorder) Start(ctx context.Context, session string, o Options) (Recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.active[session]; a != nil {
		return Recording{}, &AlreadyRecordingError{ID: a.id}
	}
	a := &sessionRecording{recorder: r, owner: rand.Text(), session: session, screenshots: o.Screenshots}
	var rec Recording
	var err error
	if o.Resume == "" {
		rec, err = r.cfg.Archive.Begin(ctx, session, r.cfg.Redact(o.Label), a.owner)
	} else if rec, err = r.cfg.Archive.Resume(ctx, o.Resume, session, a.owner); err == nil {
		err = a.restoreAliases(ctx, rec)
	}
	if err != nil {
		return Recording{}, err
	}
	a.id = rec.ID
	if r.cfg.Observer != nil {
		a.observer = r.cfg.Observer.Observe(session)
	}
	r.active[session] = a
	r.activeCount.Add(1)
	return rec, nil
}

// Stop ends the recording of a session and waits for its steps. The error is ErrNotRecording, or ErrNotOwner when another
// session resumed the recording.
func (r *Recorder) Stop(ctx context.Context, session string) (Recording, error) {
	a := r.remove(session, nil)
	if a == nil {
		return Recording{}, ErrNotRecording
	}
	a.close()
	rec, err := r.cfg.Archive.Stop(ctx, a.id, a.owner)
	rec.MissedSteps = a.missedSteps()
	return rec, err
}

// End ends the recording of a session that has gone. It waits for nothing: the database's queue
// writes the end.
func (r *Recorder) End(session string) {
	if a := r.remove(session, nil); a != nil {
		a.close()
		r.cfg.Archive.stopLater(a.id, a.owner)
	}
}

// Active returns the id of the session's active recording, or "".
func (r *Recorder) Active(session string) string {
	if a := r.activeRecording(session); a != nil {
		return a.id
	}
	return ""
}

// Close ends every recording, like End. The process calls it at its end.
func (r *Recorder) Close() {
	r.mu.Lock()
	var sessions []string
	for session := range r.active {
		sessions = append(sessions, session)
	}
	r.mu.Unlock()
	for _, session := range sessions {
		r.End(session)
	}
}

// remove removes and returns the session's recording; nil without one, or when it is not
// only (nil: any).
func (r *Recorder) remove(session string, only *sessionRecording) *sessionRecording {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.active[session]
	if a == nil || only != nil && a != only {
		return nil
	}
	delete(r.active, session)
	r.activeCount.Add(-1)
	return a
}

func (r *Recorder) activeRecording(session string) *sessionRecording {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active[session]
}

// Middleware records the calls that clients make. It does not record nested calls, which a replay
// of the step makes again, but it collects their secrets. While no session is recorded, a call
// costs one atomic load.
func (r *Recorder) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		if r.activeCount.Load() == 0 {
			return next(ctx, v, req)
		}
		a, t := r.activeRecording(v.ID), v.Surface().Tool(req.Tool)
		if a == nil || t == nil || t.Traits.Record == toolset.RecordSkip {
			return next(ctx, v, req)
		}
		return a.record(ctx, v, t, req, next)
	}
}

// record makes a call and appends its step. The answer of a durable tool waits for the step, and
// with it for every earlier one; the steps of other tools are written in the background.
func (sr *sessionRecording) record(ctx context.Context, v *toolkit.Session, t *toolkit.Tool, req toolkit.Request, next toolkit.CallHandler) (toolkit.CallResult, error) {
	c := readCall(t, req.Args)
	var before Baseline
	if sr.observer != nil {
		before = sr.observer.Baseline(ctx, c.baselineOptions())
	}
	begun := time.Now()
	res, err := next(ctx, v, req)
	if err != nil || res.Ask != nil {
		return res, err // the caller has gone, or the call comes again with an answer
	}
	s := Step{Tool: t.Name, StartedAt: begun.UTC(), Duration: time.Since(begun), Outcome: "ok"}
	if code := res.RefusalCode(); code != "" {
		s.Outcome = string(code)
	}
	nested := toolkit.NestingDepth(ctx) > 0
	ctx = context.WithoutCancel(ctx) // the call has had its effect, whatever becomes of its caller now
	secretTexts := c.secretTexts(before)
	sr.addSecrets(c, secretTexts, res)
	redact := sr.stepRedactor(secretTexts, bytes.Contains(req.Args, []byte("{secret:")))
	effects := sr.observeEffects(ctx, c, before, nested)
	if nested {
		return res, nil
	}
	sr.fillStep(&s, finishedCall{c, secretTexts, before, effects, res}, redact)
	sr.saveScreenshot(ctx, &s, effects.Screenshot)
	sr.append(&s, t.Traits.Durable)
	if notice := sr.takeNotice(); notice != "" {
		res.Content = append(slices.Clip(res.Content), toolkit.Content{Text: "not recorded: " + notice})
	}
	return res, nil
}

// oneTimeCodes returns the one-time codes in the result of a tool that generates them.
func oneTimeCodes(res toolkit.CallResult) (out []string) {
	for _, c := range res.Content {
		word, _, _ := strings.Cut(c.Text, ",")
		if n := len(word); n >= minSecretBytes && n <= 10 && strings.Trim(word, "0123456789") == "" {
			out = append(out, word)
		}
	}
	return out
}

// addSecrets collects the secrets in the arguments and the result of a call.
func (sr *sessionRecording) addSecrets(c *recordedCall, masks []typedText, res toolkit.CallResult) {
	for _, t := range masks {
		sr.secrets.addTyped(t.value)
	}
	visitStrings(c.args, func(arg string) {
		if strings.Contains(arg, "://") {
			sr.secrets.addTokens(network.SecretsIn(arg))
		}
		if name, value, ok := strings.Cut(arg, ":"); ok && network.RedactHeader(strings.TrimSpace(name), "x") == network.Redacted {
			sr.secrets.addTokens(strings.Fields(value)) // Bearer and what it bears
		}
	})
	if c.tool.Traits.Shows == toolset.ShowsCode {
		sr.secrets.addTyped(oneTimeCodes(res)...)
	}
	for pointer, role := range c.roles {
		value, _ := argument.ValueAt(c.args, pointer).(string)
		if role == toolset.RoleSecret || role == toolset.RoleStored && len(value) >= minTokenBytes {
			sr.secrets.addTyped(value)
		}
	}
}
