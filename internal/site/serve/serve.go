// Package serve offers the tools of a compiled site to the clients of this server: their rows in the
// registry, the facts that decide about lists and calls, and the results of calls.
//
// It joins compiled and run. It must not know the MCP protocol, nor the syntax of the files of a site.
package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/host"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// Options choose the site and how it is run.
type Options struct {
	Dir    string
	Origin string            // replaces the first origin of the source; "" keeps it
	Values map[string]string // of the site's parameters, by name
	// Auto runs the tools that lead to a hidden one first, where they need no arguments. Every tool is
	// listed then.
	Auto bool
	// AcceptRepairs lets a client accept a proposed repair where no person can be asked.
	AcceptRepairs bool
	// Compile compiles the site of a directory again, for a repair that was accepted. Its error says what is wrong.
	Compile func(ctx context.Context, dir string) error
}

// Site is a site that is served. It is a host.Site.
type Site struct {
	opt Options

	now     atomic.Pointer[version]
	repairs repairs
	builtin *toolkit.Registry
	host    host.Host
}

// version is a site as its files were when it was compiled.
type version struct {
	compiled *compiled.Site
	source   *run.Site
}

// New returns the site of a directory, which Compose reads.
func New(o Options) *Site { return &Site{opt: o} }

// Compose loads the compiled site and adds its tools to the registry.
func (s *Site) Compose(builtin *toolkit.Registry, h host.Host) (*toolkit.Registry, error) {
	s.builtin, s.host = builtin, h
	next, registry, err := s.load()
	if err != nil {
		return nil, err
	}
	s.now.Store(next)
	return registry, nil
}

// load loads the compiled site and returns it with its registry.
func (s *Site) load() (*version, *toolkit.Registry, error) {
	site, err := compiled.Load(s.opt.Dir)
	if err != nil {
		return nil, nil, err
	}
	// What a program made of a document may do what the document says, also name a secret: a person reads it first.
	site.Tools = slices.DeleteFunc(site.Tools, func(t compiled.Tool) bool { return t.Run.Unconfirmed })
	source, err := site.ForRunner(s.opt.Origin, s.opt.Values)
	if err != nil {
		return nil, nil, err
	}
	out, err := site.Compose(s.builtin, s.invoke, s.opt.Auto)
	if err != nil {
		return nil, nil, err
	}
	if out, err = s.withRepair(out); err != nil {
		return nil, nil, err
	}
	for i := range out.Tools {
		if t := &out.Tools[i]; t.Area == compiled.Scope {
			s.host.Guard(t)
		}
	}
	return &version{site, source}, out, nil
}

// Middleware observes the facts of the page before a call of a tool of the site, because a person, a script
// or another tool may have changed them. It implements host.Site.
func (s *Site) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		if t := v.Surface().Tool(req.Tool); t != nil && t.Area == compiled.Scope {
			if set := s.host.Sessions(v.ID); len(set.Tabs()) > 0 {
				runner := s.runner(s.now.Load(), v.ID, replay.ForSession(v, set))
				if facts, err := runner.Observe(ctx, ""); err == nil { // the call says what is wrong with the page
					s.setFacts(v.ID, set, facts)
				}
			}
		}
		return next(ctx, v, req)
	}
}

func (s *Site) setFacts(id string, set *session.Set, facts run.Facts) {
	held := s.now.Load().compiled.FactsOf(s.builtin, facts)
	set.UpdateSiteFacts(func(toolkit.Facts) toolkit.Facts { return s.markProposed(id)(held) })
}

// runner returns the runner of a version in a session.
func (s *Site) runner(v *version, id string, player *replay.Player) *run.Runner {
	return &run.Runner{Site: v.source, Player: player, Redact: s.host.Redact, Keep: func(ctx context.Context, name, mime string, data []byte) (run.Evidence, error) {
		a, err := s.host.Artifacts.Put(ctx, artifact.Meta{Name: name, MIME: mime, Session: id}, bytes.NewReader(data))
		return run.Evidence{Name: name, URI: a.URI(), MIME: mime, Size: int64(len(data))}, err
	}}
}

// player returns the player of a call. Its steps call tools of this server that the client's scope does not
// have; the operator's policy judges each of them, and a secret is only typed.
func (s *Site) player(call *toolkit.Call, set *session.Set) *replay.Player {
	return &replay.Player{Registry: s.builtin, Set: set, Dispatch: func(ctx context.Context, tool string, args []byte) (toolkit.CallResult, error) {
		if i, ok := s.builtin.Lookup(tool); ok {
			if err := secret.CheckNested(ctx, &s.builtin.Tools[i], args); err != nil {
				return toolkit.CallResult{}, err
			}
		}
		return call.Run(ctx, tool, args, nil)
	}}
}

// invoke runs a tool of the site.
func (s *Site) invoke(ctx context.Context, call *toolkit.Call, g grant.Grant, tool string, values map[string]any) (toolkit.CallResult, error) {
	args, err := json.Marshal(values)
	if err != nil {
		return toolkit.CallResult{}, err
	}
	set := s.host.Sessions.Set(call)
	now := s.now.Load()
	out, err := s.runner(now, call.Session.ID, s.player(call, set)).Run(ctx, tool, args, run.Options{
		Auto: s.opt.Auto, Window: power.NewWindow(g), Network: power.NewNetwork(g),
		Progress: func(done, total int, message string) { call.Progress(float64(done), float64(total), message) },
	})
	if out.Facts != nil {
		s.setFacts(call.Session.ID, set, out.Facts)
	}
	var hidden *run.NotVisibleError
	var refused *run.AnswerError
	switch {
	case errors.As(err, &hidden):
		return toolkit.CallResult{}, toolkit.Refuse(toolkit.ToolNotVisible, err.Error(),
			toolkit.Field{Name: "requires", Value: hidden.Needs}, toolkit.Field{Name: "via", Value: hidden.Path})
	case errors.As(err, &refused):
		return toolkit.CallResult{}, toolkit.Refuse(toolkit.Failed, refused.Error()+"\n"+fence.Quote(refused.Text))
	case err != nil && ctx.Err() != nil:
		return toolkit.CallResult{}, err
	case err != nil:
		return toolkit.CallResult{}, s.host.Refusal(call, err)
	case out.Drift != nil:
		s.repairs.propose(call.Session.ID, out.Drift.Repair, now)
		set.UpdateSiteFacts(s.markProposed(call.Session.ID))
		return toolkit.CallResult{}, drifted(out)
	}
	if s.repairs.withdraw(call.Session.ID, tool) {
		set.UpdateSiteFacts(s.markProposed(call.Session.ID))
	}
	return answer(out), nil
}

// drifted returns the refusal of a call that the site no longer fits.
func drifted(out run.Result) error {
	fields := []toolkit.Field{{Name: "drift", Value: out.Drift}, {Name: "acted", Value: out.Drift.Acted}}
	if len(out.Evidence) > 0 {
		fields = append(fields, toolkit.Field{Name: "evidence", Value: out.Evidence})
	}
	text := "the site no longer fits this tool, and nothing more was done:\n" + fence.Quote(out.Drift.String()) + evidence(out.Evidence)
	if out.Drift.Repair != nil {
		text += "\n" + repairTool + " shows the proposed repair, and accepts it"
	}
	return toolkit.Refuse(out.Drift.Code(), text, fields...)
}

// answer returns the result of a call whose tool has run.
func answer(out run.Result) toolkit.CallResult {
	var lines []string
	if len(out.Via) > 0 {
		lines = append(lines, "ran first: "+strings.Join(out.Via, ", "))
	}
	if out.Output == nil {
		lines = append(lines, "done")
	} else {
		lines = append(lines, fence.Quote(string(out.Output)))
	}
	res := toolkit.CallResult{Result: toolkit.Text(strings.Join(lines, "\n"))}
	res.Structured = out.Output
	return res
}

func evidence(list []run.Evidence) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString("\n" + e.Name + ": " + e.URI)
	}
	return b.String()
}
