package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/textdiff"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/repair"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// repairTool is the tool that shows proposed repairs of the site's tools and accepts one of them. It is
// visible while there is one, which is the fact repairFact.
const (
	repairTool = "site_repair"
	repairFact = "site_repair_proposed"
)

const repairDescription = "Show the repairs of this site's tools that were proposed where the site has changed, as differences of their files. With accept, write one after a person has agreed, and serve the repaired tool."

const repairSchema = `{"type":"object","properties":{` +
	`"tool":{"type":"string","description":"Tool whose repair is meant; not needed for a single one."},` +
	`"accept":{"type":"boolean","description":"Write the repair into the file of the tool."}},"additionalProperties":false}`

// proposal is a repair with the file that its tool was compiled from, whose places it names.
type proposal struct {
	*run.Repair

	file []byte
}

// repairs are proposed repairs. A session sees its own alone, for each has words of a page that the session had open.
type repairs struct {
	mu        sync.Mutex
	proposed  map[string]map[string]*proposal // by session and tool, the latest one of each
	accepting sync.Mutex                      // held while a file is changed
}

// propose keeps a repair of the version that was run; nil for none.
func (r *repairs) propose(session string, p *run.Repair, ran *version) {
	if p == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.proposed == nil {
		r.proposed = map[string]map[string]*proposal{}
	}
	if r.proposed[session] == nil {
		r.proposed[session] = map[string]*proposal{}
	}
	r.proposed[session][p.Tool] = &proposal{p, ran.compiled.File(p.File)}
}

// withdraw drops the repair of a tool, and reports whether there was one.
func (r *repairs) withdraw(session, tool string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, had := r.proposed[session][tool]
	delete(r.proposed[session], tool)
	return had
}

// accepted drops the repairs of a tool in every session: its file is another one now.
func (r *repairs) accepted(tool string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, own := range r.proposed {
		delete(own, tool)
	}
}

// end drops the repairs of a session that has ended.
func (r *repairs) end(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.proposed, session)
}

// list returns the repairs of a session, sorted by their tools.
func (r *repairs) list(session string) []*proposal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.proposed[session]), func(a, b *proposal) int { return strings.Compare(a.Tool, b.Tool) })
}

// repairBit is the bit of repairFact, behind those of the site.
func (s *Site) repairBit(siteFacts int) toolkit.Facts { return 1 << (len(s.builtin.Facts) + siteFacts) }

// markProposed returns the function that sets the bit of repairFact while a repair is proposed to a session.
func (s *Site) markProposed(session string) func(toolkit.Facts) toolkit.Facts {
	return func(facts toolkit.Facts) toolkit.Facts {
		bit := s.repairBit(len(s.now.Load().compiled.Facts))
		if len(s.repairs.list(session)) > 0 {
			return facts | bit
		}
		return facts &^ bit
	}
}

// EndSession drops the state of a session. It implements host.Site.
func (s *Site) EndSession(id string) { s.repairs.end(id) }

// withRepair adds repairTool, its fact and the event that changes the fact to the registry of the site.
func (s *Site) withRepair(reg *toolkit.Registry) (*toolkit.Registry, error) {
	bit := s.repairBit(len(reg.Facts) - len(s.builtin.Facts))
	entry, err := json.Marshal(map[string]any{
		"name": repairTool, "title": "Repair a tool of the site", "description": repairDescription, "inputSchema": json.RawMessage(repairSchema),
		"annotations": map[string]any{"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": false},
	})
	if err != nil {
		return nil, err
	}
	out, err := reg.With(toolkit.Capability{Name: compiled.Scope}, compiled.Scope, []toolkit.Tool{{
		Name: repairTool, Description: repairDescription, Area: compiled.Scope, Tier: 2, Effects: toolkit.Effects{Destructive: true}, Asks: toolkit.InputForm,
		Requires: repairFact, Visible: func(f toolkit.Facts) bool { return f&bit != 0 }, Needs: []toolkit.Literal{{Fact: bit, Name: repairFact, Want: true}},
		Listing: repairFact, Listed: func(f toolkit.Facts) bool { return f&bit != 0 },
		Joining: repairFact, Joins: func(f toolkit.Facts) bool { return f&bit != 0 },
		Schema: repairSchema, Definition: string(entry), ResultBytes: 60_000, Timeout: 5 * time.Minute,
		Check:  func(args []byte) error { _, err := readRepairCall(args); return err },
		Invoke: s.invokeRepair,
	}})
	if err != nil {
		return nil, fmt.Errorf("add the tool for repairs to the site: %w", err)
	}
	out.Facts = append(slices.Clone(reg.Facts), repairFact)
	out.Events = append(slices.Clone(reg.Events), toolkit.Event{
		Name: "site.drift", When: func(toolkit.Facts) bool { return true }, Changes: toolkit.Changes{MaySet: bit, MayClear: bit},
	})
	out.Unmet = maps.Clone(reg.Unmet)
	if out.Unmet == nil {
		out.Unmet = map[string]string{}
	}
	out.Unmet[repairFact] = "no repair of a tool is proposed"
	return out.Index(), nil
}

// repairCall are the arguments of repairTool.
type repairCall struct {
	tool   string
	accept bool
}

func readRepairCall(raw []byte) (out repairCall, err error) {
	a := toolkit.ReadArgs(raw)
	var seen uint64
	for enter := a.Object(); enter && a.Next(); {
		switch string(a.Key()) {
		case "tool":
			seen = a.Mark(seen, 0)
			out.tool = a.String(nil)
		case "accept":
			seen = a.Mark(seen, 1)
			out.accept = a.Bool()
		default:
			a.Unknown([]string{"accept", "tool"})
		}
	}
	return out, a.Done()
}

// invokeRepair shows the proposed repairs, or accepts one.
func (s *Site) invokeRepair(ctx context.Context, call *toolkit.Call, _ grant.Grant, raw []byte) (toolkit.CallResult, error) {
	args, err := readRepairCall(raw)
	if err != nil {
		return toolkit.CallResult{}, err
	}
	all, err := s.chosen(call.Session.ID, args.tool)
	if err != nil {
		return toolkit.CallResult{}, err
	}
	if args.accept && len(all) > 1 {
		return toolkit.CallResult{}, toolkit.Refuse(codes.InvalidArguments, "several repairs are proposed; name one of them by tool: "+strings.Join(toolsOf(all), ", "))
	}
	var b strings.Builder
	for _, r := range all {
		c, err := change(r)
		if err != nil {
			return toolkit.CallResult{}, s.drop(call, r, err)
		}
		if args.accept {
			return s.accept(ctx, call, r, c)
		}
		fmt.Fprintf(&b, "%s: %s, not applied\n%s", r.Tool, r.Why, c.diff())
	}
	return toolkit.Unstructured(toolkit.Text("proposed:\n"+fence.Quote(b.String())), nil)
}

// chosen returns the repair of a tool, or all of the session.
func (s *Site) chosen(session, tool string) ([]*proposal, error) {
	all := s.repairs.list(session)
	if tool != "" {
		all = slices.DeleteFunc(all, func(r *proposal) bool { return r.Tool != tool })
	}
	if len(all) > 0 {
		return all, nil
	}
	if left := toolsOf(s.repairs.list(session)); len(left) > 0 {
		return nil, toolkit.Refuse(codes.NotFound, fmt.Sprintf("no repair of %q is proposed; there are repairs of %s", tool, strings.Join(left, ", ")))
	}
	return nil, toolkit.Refuse(codes.NotFound, "no repair is proposed: one is where a tool is refused with "+string(codes.SiteDrift)+" and exactly one element resembles the missing one")
}

func toolsOf(all []*proposal) []string {
	return slicesx.List(all, func(r *proposal) string { return r.Tool })
}

// drop drops a repair that its file does not take, and returns the refusal.
func (s *Site) drop(call *toolkit.Call, r *proposal, err error) error {
	s.repairs.withdraw(call.Session.ID, r.Tool)
	s.host.Sessions.Set(call).UpdateSiteFacts(s.markProposed(call.Session.ID))
	return toolkit.Refuse(codes.Failed, fmt.Sprintf("the repair of %s is dropped: %v", r.Tool, err))
}

// fileChange is the change of the file of a tool.
type fileChange struct {
	path          string
	before, after []byte
	mode          os.FileMode
}

// change applies a repair to the text of its file. A file that was changed meanwhile has other places.
func change(r *proposal) (fileChange, error) {
	info, err := os.Stat(r.File)
	if err != nil {
		return fileChange{}, err
	}
	before, err := os.ReadFile(r.File)
	if err != nil {
		return fileChange{}, err
	}
	if !bytes.Equal(before, r.file) {
		return fileChange{}, fmt.Errorf("%s has changed since the server read it; start the server again, and call %s", r.File, r.Tool)
	}
	after, err := repair.Apply(before, r.Repair)
	if err != nil {
		return fileChange{}, fmt.Errorf("%w; change %s by hand", err, r.File)
	}
	return fileChange{path: r.File, before: before, after: after, mode: info.Mode().Perm()}, nil
}

func (c fileChange) diff() string {
	return fmt.Sprintf("--- %s\n+++ %[1]s\n%s\n", c.path, strings.TrimSuffix(textdiff.Unified(string(c.before), string(c.after)), "\n"))
}

// accept asks a person, writes the repair and serves the repaired tool.
func (s *Site) accept(ctx context.Context, call *toolkit.Call, r *proposal, c fileChange) (toolkit.CallResult, error) {
	if err := s.confirm(ctx, call, r, c); err != nil {
		return toolkit.CallResult{}, err
	}
	s.repairs.accepting.Lock()
	defer s.repairs.accepting.Unlock()
	if _, err := change(r); err != nil { // the file has changed while the person was asked
		return toolkit.CallResult{}, s.drop(call, r, err)
	}
	if err := s.write(ctx, c); err != nil {
		return toolkit.CallResult{}, err
	}
	s.repairs.accepted(r.Tool)
	s.host.Sessions.Set(call).UpdateSiteFacts(s.markProposed(call.Session.ID))
	return toolkit.Unstructured(toolkit.Text(fmt.Sprintf("repaired %s, which is served now:\n", r.Tool)+fence.Quote(c.diff())), nil)
}

// write changes the file, compiles the site and serves it as it is then. A site that does not compile so, or cannot be
// served, gets its file back.
func (s *Site) write(ctx context.Context, c fileChange) error {
	if s.opt.Compile == nil {
		return toolkit.Refuse(codes.Failed, "this server cannot compile a site; run callsheet site check --accept")
	}
	file := filepath.Join(s.opt.Dir, compiled.FileName)
	before, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the compiled site: %w", err)
	}
	if err := atomicfile.Update(c.path, c.after, c.mode); err != nil {
		return fmt.Errorf("write the tool: %w", err)
	}
	var next *version
	var reg *toolkit.Registry
	if err = s.opt.Compile(ctx, s.opt.Dir); err == nil {
		next, reg, err = s.load()
	}
	if err == nil && !next.compiled.SameFacts(s.now.Load().compiled) {
		err = errors.New("site.yaml has other facts than the site that is served; start the server again")
	}
	if err == nil {
		rows := slices.DeleteFunc(slices.Clone(reg.Tools), func(t toolkit.Tool) bool { return t.Area != compiled.Scope })
		err = s.host.Update(compiled.Scope, rows)
	}
	if err == nil {
		s.now.Store(next)
		return nil
	}
	if restored := errors.Join(atomicfile.Update(c.path, c.before, c.mode), atomicfile.Update(file, before, 0o644)); restored != nil {
		return fmt.Errorf("put %s back: %w, after: %w", c.path, restored, err)
	}
	return toolkit.Refuse(codes.Failed, "the repair is not accepted, and the file is as it was: "+err.Error())
}

// confirm asks the person behind the call. The error is the refusal. The key of the question names the change: a
// client that repeats the call answers for the change that it has shown, and not for a later proposal.
func (s *Site) confirm(ctx context.Context, call *toolkit.Call, r *proposal, c fileChange) error {
	if !call.Asks().Has(toolkit.InputForm) {
		if s.opt.AcceptRepairs {
			return nil
		}
		return toolkit.Refuse(codes.ConfirmationRequired, "a person has to accept the repair, and this client cannot ask one",
			toolkit.Field{Name: "remedy", Value: fmt.Sprintf("run callsheet site check %s %s --accept, or start the server with --site-accept-repairs", s.opt.Dir, r.Tool)})
	}
	key := fmt.Sprintf("accept_%.8x", sha256.Sum256([]byte(c.diff())))
	answers, err := call.Ask(ctx, toolkit.Input{Key: key, Question: &toolkit.Question{
		Message: fmt.Sprintf("The site has changed. Repair the tool %s (%s)?\n%s", r.Tool, r.Why, c.diff()),
		Schema:  json.RawMessage(`{"type":"object","properties":{"write":{"type":"boolean","title":"Write the repair","default":true}}}`),
	}})
	if err != nil {
		return err
	}
	if reply := answers[key].Reply; reply == nil || reply.Action != toolkit.Accept || reply.Values["write"] == false {
		return toolkit.Refuse(codes.PolicyDenied, "the person did not accept the repair of "+r.Tool)
	}
	return nil
}
