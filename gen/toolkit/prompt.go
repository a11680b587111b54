package toolkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Entry is the common part of the rows of prompts and resources. The filters of capabilities, the
// scope and the profile hold for them as for tools; the lists of tools do not.
type Entry struct {
	Name       string
	Area       string
	Capability string
	Scopes     []string

	Requires string           // the predicate's text; "" when the entry is always visible
	Visible  func(Facts) bool // nil when always visible

	Definition string        // the entry in its list: compact JSON, exactly as sent
	Timeout    time.Duration // deadline of a request
	Asks       InputKinds    // what the handler may ask the client for
}

// Prompt is one row of the generated table of prompts.
type Prompt struct {
	Entry
	Arguments []Argument

	// Get runs the handler. The arguments are checked: every one is declared, and the required ones
	// are there.
	Get func(ctx context.Context, call *Call, args Arguments) (PromptResult, error)
}

// Argument is an argument of a prompt, or a variable of a template of resources.
type Argument struct {
	Name     string
	Required bool
	Values   []string // what completes it; nil where Complete does, or nothing
	Closed   bool     // no value is taken but Values
	Complete func(ctx context.Context, call *Call, in Completion) ([]string, error)
}

// completes reports whether clients can ask for values.
func (a *Argument) completes() bool { return len(a.Values) > 0 || a.Complete != nil }

// takes reports whether a value can be the argument.
func (a *Argument) takes(value string) bool { return !a.Closed || slices.Contains(a.Values, value) }

// Arguments are the arguments of a prompt or the variables of an address, by name.
type Arguments map[string]string

// Opt returns an argument that may be absent. It is for generated code.
func (a Arguments) Opt(name string) Opt[string] {
	value, ok := a[name]
	return Opt[string]{Value: value, Set: ok}
}

// Completion is an incomplete argument of a client: its text so far, and the other arguments that are
// known.
type Completion struct {
	Value     string
	Arguments Arguments
}

// PromptResult is the messages that a prompt returns, or a question to the client.
type PromptResult struct {
	Description string // of this result; "" sends none
	Messages    []Message
	Ask         *Ask // a question instead of messages; only where the client repeats requests
}

// Message is one message of a prompt.
type Message struct {
	Role    string // RoleUser or RoleAssistant
	Content Content
}

// The roles of messages.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// UserMessage makes a message of the user's with one text.
func UserMessage(text string) Message { return Message{RoleUser, Content{Text: text}} }

// Codes of JSON-RPC errors that a ProtocolError has.
const (
	codeInvalidParams     = -32602
	codeMissingCapability = -32021
)

// ProtocolError is an error of the protocol in place of a result. A tool returns one only where the
// protocol asks for it; every other reason is a Refusal.
type ProtocolError struct {
	Code    int // of JSON-RPC
	Message string
	Data    any // marshalled to JSON; nil sends none
}

// Error gives the message.
func (e *ProtocolError) Error() string { return e.Message }

// InvalidParams is the error of a request that is wrong as a request, such as one whose state this
// server did not make.
func InvalidParams(message string) error {
	return &ProtocolError{Code: codeInvalidParams, Message: message}
}

// MissingCapability is the error of a request that cannot be served without a capability of the
// client, by its name in the protocol, such as "sampling" or "elicitation.url".
func MissingCapability(name string) error {
	var required any = struct{}{}
	parts := strings.Split(name, ".")
	for _, part := range slices.Backward(parts) {
		required = map[string]any{part: required}
	}
	return &ProtocolError{
		Code: codeMissingCapability, Message: fmt.Sprintf("this needs the client capability %q, which the client has not declared", name),
		Data: map[string]any{"requiredCapabilities": required},
	}
}

// admits reports whether the gates leave an entry of this capability and these scopes.
func (s *Surface) admits(reg *Registry, e *Entry) bool {
	t := &Tool{Name: e.Name, Capability: e.Capability, Scopes: e.Scopes}
	opt := s.opt
	if p := reg.profile(opt.Profile); p != nil && p.excludes(t) {
		return false
	}
	return t.inScope(s.scope) && reg.missing(t, opt) == "" && !slices.Contains(opt.DisableTools, e.Capability) &&
		(len(opt.ToolsOnly) == 0 || slices.Contains(opt.ToolsOnly, e.Capability))
}

// Prompts reports whether the surface has any prompt.
func (s *Surface) Prompts() bool { return s.table().prompts.Len() > 0 }

// Completes reports whether clients can complete an argument of a prompt or a variable of a template.
func (s *Surface) Completes() bool {
	t := s.table()
	completes := func(a Argument) bool { return a.completes() }
	for i := range t.reg.Prompts {
		if t.prompts.Has(i) && slices.ContainsFunc(t.reg.Prompts[i].Arguments, completes) {
			return true
		}
	}
	for i := range t.reg.Resources {
		if t.resources.Has(i) && slices.ContainsFunc(t.reg.Resources[i].Variables, completes) {
			return true
		}
	}
	return false
}

// PromptList is the JSON array of the prompts that the session sees now, and their set.
func (v *Session) PromptList() ([]byte, Set) {
	t, facts, all := v.now()
	set := visibleEntries(t.prompts, len(t.reg.Prompts), facts, all, func(i int) *Entry { return &t.reg.Prompts[i].Entry })
	return joinEntries(len(t.reg.Prompts), set, func(i int) string { return t.reg.Prompts[i].Definition }), set
}

// now returns what a session looks at: the table, its facts, and whether its lists leave facts aside.
func (v *Session) now() (t *table, facts Facts, static bool) {
	return v.surface.table(), v.Facts(), v.lists == Static
}

// visibleEntries keeps of a set what is visible under the facts.
func visibleEntries(of Set, n int, facts Facts, static bool, entry func(int) *Entry) Set {
	if static {
		return of
	}
	var out Set
	out.fill(n, func(i int) bool { return of.Has(i) && entry(i).visible(facts) })
	return out
}

func (e *Entry) visible(facts Facts) bool { return e.Visible == nil || e.Visible(facts) }

// guard refuses an entry that is not visible under the facts. What names it in the message.
func (e *Entry) guard(what string, facts Facts) error {
	if e.visible(facts) {
		return nil
	}
	return &ProtocolError{
		Code: codeInvalidParams, Message: fmt.Sprintf("the %s %q is not there in this state: it needs %s", what, e.Name, e.Requires),
		Data: map[string]any{"requires": e.Requires},
	}
}

// findPrompt finds a prompt that the session may get.
func (v *Session) findPrompt(name string) (*Prompt, error) {
	t, facts, _ := v.now()
	var names []string
	for i := range t.reg.Prompts {
		p := &t.reg.Prompts[i]
		if !t.prompts.Has(i) {
			continue
		}
		if p.Name == name {
			return p, p.guard("prompt", facts)
		}
		names = append(names, p.Name)
	}
	return nil, InvalidParams(fmt.Sprintf("unknown prompt %q%s", clip(name), didYouMean(name, names)))
}

// GetPrompt runs the handler of a prompt under its deadline. Of req, Tool and Args are not used. The
// error is a *ProtocolError, a *Refusal or, when ctx was cancelled by the caller, ctx's error.
func (v *Session) GetPrompt(ctx context.Context, name string, args Arguments, req Request) (PromptResult, error) {
	p, err := v.findPrompt(name)
	if err != nil {
		return PromptResult{}, err
	}
	if err := checkArguments(p, args); err != nil {
		return PromptResult{}, err
	}
	res, err := serveEntry(ctx, v, &p.Entry, req, func(ctx context.Context, call *Call) (PromptResult, error) { return p.Get(ctx, call, args) })
	if ask := (*Ask)(nil); errors.As(err, &ask) {
		return PromptResult{Ask: ask}, nil
	}
	return res, err
}

// checkArguments reports every argument that is missing or unknown.
func checkArguments(p *Prompt, args Arguments) error {
	var names, problems []string
	for _, a := range p.Arguments {
		names = append(names, a.Name)
		switch value, ok := args[a.Name]; {
		case a.Required && !ok:
			problems = append(problems, fmt.Sprintf("%q is required", a.Name))
		case ok && !a.takes(value):
			problems = append(problems, fmt.Sprintf("%q is %q, and may be %s", a.Name, clip(value), strings.Join(a.Values, ", ")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(names, name) {
			problems = append(problems, fmt.Sprintf("%q is unknown%s", clip(name), didYouMean(name, names)))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return InvalidParams(fmt.Sprintf("arguments of the prompt %q: %s", p.Name, strings.Join(problems, "; ")))
}

// serveEntry runs the handler of an entry under its deadline and survives its panics.
func serveEntry[T any](ctx context.Context, v *Session, e *Entry, req Request, run func(context.Context, *Call) (T, error)) (out T, err error) {
	err = runEntry(ctx, v, e, req, func(ctx context.Context, call *Call) (err error) {
		out, err = run(ctx, call)
		return err
	})
	return out, err
}

// runEntry is serveEntry without the result.
func runEntry(ctx context.Context, v *Session, e *Entry, req Request, run func(context.Context, *Call) error) (err error) {
	row := &Tool{Name: e.Name, Area: e.Area, Capability: e.Capability, Timeout: cmp.Or(e.Timeout, entryTimeout), Asks: e.Asks}
	bounded, cancel := context.WithTimeout(ctx, row.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			logPanic(req.Logger, e.Name, p)
			err = Refuse(Internal, "the server failed inside this handler")
		}
	}()
	err = run(bounded, newCall(v, row, req))
	var protocol *ProtocolError
	var ask *Ask
	switch {
	case err == nil, errors.As(err, &protocol), errors.As(err, &ask), errors.Is(err, errAbsent):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return refusalOf(bounded, row, v.surface.table().reg.coded(err), req.Logger)
}

// entryTimeout is the deadline of requests of an entry that states none.
const entryTimeout = 30 * time.Second

func logPanic(log *slog.Logger, name string, p any) {
	if log != nil {
		log.Error("handler panicked", "name", name, "panic", p, "stack", string(debug.Stack()))
	}
}

// maxCompletions is how many values an answer may have; the protocol says so.
const maxCompletions = 100

// Completions are the values that complete an argument.
type Completions struct {
	Values []string // at most 100
	Total  int
}

// CompletePrompt returns the values that complete an argument of a prompt.
func (v *Session) CompletePrompt(ctx context.Context, name, argument string, in Completion, req Request) (Completions, error) {
	p, err := v.findPrompt(name)
	if err != nil {
		return Completions{}, err
	}
	return v.complete(ctx, completionSource{&p.Entry, p.Arguments, argument}, in, req)
}

// CompleteTemplate returns the values that complete a variable of a template of resources.
func (v *Session) CompleteTemplate(ctx context.Context, template, variable string, in Completion, req Request) (Completions, error) {
	t, facts, _ := v.now()
	for i := range t.reg.Resources {
		r := &t.reg.Resources[i]
		if !t.resources.Has(i) || r.URI != template && (r.Template == nil || r.Template.String() != template) {
			continue
		}
		if err := r.guard("resource", facts); err != nil {
			return Completions{}, err
		}
		return v.complete(ctx, completionSource{&r.Entry, r.Variables, variable}, in, req)
	}
	return Completions{}, InvalidParams(fmt.Sprintf("unknown resource template %q", clip(template)))
}

// completionSource is the argument of an entry that a client completes.
type completionSource struct {
	entry     *Entry
	arguments []Argument
	name      string
}

// complete returns the values of an argument. A fixed list is filtered by the text so far; a handler's
// values are sent as they are.
func (v *Session) complete(ctx context.Context, source completionSource, in Completion, req Request) (Completions, error) {
	e, of, name := source.entry, source.arguments, source.name
	names := slicesx.Map(of, func(a Argument) string { return a.Name })
	i := slices.Index(names, name)
	if i < 0 {
		return Completions{}, InvalidParams(fmt.Sprintf("%q has no argument %q%s", e.Name, clip(name), didYouMean(name, names)))
	}
	var values []string
	for _, value := range of[i].Values {
		if strings.HasPrefix(strings.ToLower(value), strings.ToLower(in.Value)) {
			values = append(values, value)
		}
	}
	if of[i].Complete != nil {
		var err error
		values, err = serveEntry(ctx, v, e, req, func(ctx context.Context, call *Call) ([]string, error) { return of[i].Complete(ctx, call, in) })
		if err != nil {
			return Completions{}, err
		}
	}
	return Completions{Values: values[:min(len(values), maxCompletions)], Total: len(values)}, nil
}
