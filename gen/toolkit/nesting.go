package toolkit

import (
	"context"
	"encoding/json"
	"fmt"
)

// Sampling asks the client's model for a message. The model reads System, Messages, and then Prompt as a text of
// the user; MaxTokens bounds the answer. The client may change everything else.
type Sampling struct {
	System, Prompt string
	MaxTokens      int
	Messages       []Message // the conversation before Prompt
	Temperature    float64   // 0 leaves it to the client
	StopSequences  []string
	Model          ModelPreferences
}

// ModelPreferences say which model should sample. Priorities are from 0, of no importance, to 1.
type ModelPreferences struct {
	Hints                     []string // parts of names, the best first
	Cost, Speed, Intelligence float64
}

// Sampled is the message that the client's model has made.
type Sampled struct {
	Role       string    `json:"role"`
	Model      string    `json:"model"`
	StopReason string    `json:"stop_reason,omitempty"` // such as "endTurn", "stopSequence" or "maxTokens"
	Content    []Content `json:"content"`
}

// Samples says how the client behind a call can be asked to sample.
type Samples int

// The ways. With SampleLater the handler returns Result.Ask, and the call comes again with the
// answer.
const (
	NoSampling Samples = iota
	SampleNow
	SampleLater
)

// Ask is a result that is a question: what the client's model is to be asked, or with Question the
// person behind it, and what the repeated call brings back.
type Ask struct {
	Sampling
	Question *Question
	Inputs   []Input // questions under keys of the handler's own, in place of the two above
	State    string  // opaque to the client; whoever knows it may take the call up again, so it is unguessable
}

// Answer is the client's answer to a question, which it sends with the repeated call. Text is empty when the client
// declined. Reply is that of a person, or nil.
type Answer struct {
	State, Text string
	Reply       *Reply
}

// Input is one of several questions of a result. Exactly one of Question, Sampling and Roots is set.
// Key names it, and the answer.
type Input struct {
	Key      string
	Question *Question
	Sampling *Sampling
	Roots    bool // the directories that the client declares
}

// Inputs are the additions of a repeated request: the state of Ask and the answers to Ask.Inputs. Handlers
// that use Call.Ask need neither.
type Inputs struct {
	State   string
	Answers Answers
}

// InputAnswer is the answer to one Input.
type InputAnswer struct {
	Reply   *Reply   `json:"reply,omitempty"`   // to a Question
	Text    string   `json:"text,omitempty"`    // to a Sampling: the texts of Sampled
	Sampled *Sampled `json:"sampled,omitempty"` // to a Sampling
	Roots   []Root   `json:"roots,omitzero"`    // to Roots: not nil
}

// Root is a directory that a client declares.
type Root struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"` // for people; may be ""
}

// Accepted returns the values that a person has sent under a key; nil where no person did.
func (i Inputs) Accepted(key string) map[string]any { return i.Answers.Accepted(key) }

// Inputs returns the additions of the repeated request. The client can change the state: a handler
// that trusts it signs it.
func (c *Call) Inputs() Inputs { return c.inputs }

// RootsLater reports whether the client declares its directories when a result asks with
// Input.Roots.
func (c *Call) RootsLater() bool { return c.rootsLater }

// LogLevel is how severe a log message is.
type LogLevel string

// The levels, by severity.
const (
	LogDebug     LogLevel = "debug"
	LogInfo      LogLevel = "info"
	LogNotice    LogLevel = "notice"
	LogWarning   LogLevel = "warning"
	LogError     LogLevel = "error"
	LogCritical  LogLevel = "critical"
	LogAlert     LogLevel = "alert"
	LogEmergency LogLevel = "emergency"
)

// Log sends a log message to the client, where it has asked for messages of that level. Data is
// marshalled to JSON.
func (c *Call) Log(level LogLevel, data any) {
	if c.log != nil {
		c.log(level, data)
	}
}

// Samples tells how the client can be asked to sample.
func (c *Call) Samples() Samples {
	switch {
	case c.sample != nil:
		return SampleNow
	case c.samplingDeferred:
		return SampleLater
	}
	return NoSampling
}

// Sample asks the client's model, in protocol revisions where a server may.
func (c *Call) Sample(ctx context.Context, s Sampling) (string, error) {
	if c.sample == nil {
		return "", Refuse(Failed, "this client cannot be asked to sample")
	}
	return c.sample(ctx, s)
}

// Answer returns the answer that came with a repeated call, or nil.
func (c *Call) Answer() *Answer { return c.answer }

// DropAnswer makes Answer nil, for a layer whose own question it answers.
func (c *Call) DropAnswer() { c.answer = nil }

// Question asks the person behind a client: to fill in the members of Schema, a JSON Schema of a flat
// object such as package form makes, or to open URL.
type Question struct {
	Message string
	Schema  json.RawMessage
	// URL is a page of this server's or another's, such as a sign-in. Accept means only that the person
	// agreed to open it; what they enter there never passes through the client. "" asks with Schema.
	URL string
	ID  string // of a question with a URL, for Call.Completed; unique
}

// What a person can do with a question: Accept sends Values, Decline refuses, and Cancel puts it
// away without a choice.
const (
	Accept  = "accept"
	Decline = "decline"
	Cancel  = "cancel"
)

// Reply is a person's reply to a question: accept, decline or cancel. Values fit the question's schema.
type Reply struct {
	Action string         `json:"action"`
	Values map[string]any `json:"values,omitempty"`
}

// Asker asks the person behind a client and waits for the reply. It returns when ctx is done, as soon as
// the client knows that the question is withdrawn.
type Asker = func(context.Context, Question) (Reply, error)

// Elicits reports whether the person behind the client can be asked.
func (c *Call) Elicits() bool { return c.elicit != nil }

// ElicitsLater reports whether the person behind the client is asked by a result with Ask.Question,
// after which the client calls again.
func (c *Call) ElicitsLater() bool { return c.elicitationDeferred }

// Elicit asks the person behind the client and waits for the reply. The error is ctx's, or that of a
// client which cannot be asked or breaks the protocol.
func (c *Call) Elicit(ctx context.Context, q Question) (Reply, error) {
	if c.elicit == nil {
		return Reply{}, Refuse(Failed, "this client cannot ask the person behind it")
	}
	return c.elicit(ctx, q)
}

// Run runs another tool of the registry on behalf of this call, in the same session: by name, under
// that tool's own deadline and budget, with the same reader, the same predicate and the same
// filters of the command line. The scope and the tier do not matter: they say what is listed.
// Progress may be nil. The error is ctx's, or a tool that does not exist; refusals are results.
func (c *Call) Run(ctx context.Context, name string, args []byte, progress func(done, total float64, message string)) (CallResult, error) {
	v := c.Session
	reg := v.surface.table().reg
	i, ok := reg.Lookup(name)
	if !ok {
		return CallResult{}, toolFinder{v}.unknown(name)
	}
	if barred := v.surface.table().excludedBy[i]; barred != "" {
		return v.surface.excluded(i).result(), nil
	}
	t := &reg.Tools[i]
	if t.Area == c.Tool.Area {
		return Refuse(Failed, fmt.Sprintf("%s cannot run %s: one workflow does not call another", c.Tool.Name, name)).result(), nil
	}
	args = t.Traits.Normalize(args)
	calls := dispatcher{v}
	if r := calls.checkVisible(i, args); r != nil {
		return r.result(), nil
	}
	nested := *c
	nested.Tool, nested.progress, nested.elicitationDeferred, nested.maxResult = t, progress, false, 0 // a result that asks would be the step's
	nested.interaction = c.interaction.atOnce()
	return calls.run(ctx, &nested, Request{Tool: t.Name, Args: args, Logger: c.logger})
}

// maxNesting is how deep calls may dispatch calls: a workflow's step may be a plan, whose steps are
// tools.
const maxNesting = 3

type nestingKey struct{}

// NestingDepth tells how many calls a call is made on behalf of: 0 for a client's own.
func NestingDepth(ctx context.Context) int {
	n, _ := ctx.Value(nestingKey{}).(int)
	return n
}

// Dispatch makes a call on behalf of this one exactly as the client would: in the same session,
// through every layer, held against the filters and the predicate, under the tool's own deadline
// and budget. Progress may be nil. Errors are as of [Session.Dispatch].
func (c *Call) Dispatch(ctx context.Context, name string, args []byte, progress func(done, total float64, message string)) (CallResult, error) {
	depth := NestingDepth(ctx)
	if depth >= maxNesting {
		return Refuse(Failed, fmt.Sprintf("%s is %d calls deep; call it by itself", name, depth)).result(), nil
	}
	ctx = context.WithValue(ctx, nestingKey{}, depth+1)
	return c.Session.Dispatch(ctx, Request{Tool: name, Args: args, Progress: progress, Logger: c.logger, Elicit: c.elicit, Principal: c.principal, Interaction: c.interaction.atOnce()})
}

// Roots returns the directories that the client declares as its own, or none.
func (c *Call) Roots(ctx context.Context) []string {
	if c.roots == nil {
		return nil
	}
	return c.roots(ctx)
}
