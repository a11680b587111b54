package toolkit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// InputKinds is a set of kinds of input that a client can be asked for.
type InputKinds uint8

// The kinds.
const (
	InputForm     InputKinds = 1 << iota // a Question whose schema a person fills in
	InputURL                             // a Question with a URL that a person opens
	InputSampling                        // a text of the client's model
	InputRoots                           // the directories that the client declares
)

// Has reports whether the set contains all of k.
func (s InputKinds) Has(k InputKinds) bool { return s&k == k }

// kind is the kind of the input.
func (in Input) kind() InputKinds {
	switch {
	case in.Question != nil && in.Question.URL != "":
		return InputURL
	case in.Question != nil:
		return InputForm
	case in.Sampling != nil:
		return InputSampling
	}
	return InputRoots
}

// Answers are answers to inputs, by their keys.
type Answers map[string]InputAnswer

// Accepted returns the values that a person has sent under a key; nil where no person did.
func (a Answers) Accepted(key string) map[string]any {
	if answer := a[key]; answer.Reply != nil && answer.Reply.Action == Accept {
		return answer.Reply.Values
	}
	return nil
}

// Decode reads the values that a person has sent under a key into a struct; false where no person did.
func (a Answers) Decode(key string, into any) (accepted bool, err error) {
	answer := a[key]
	if answer.Reply == nil || answer.Reply.Action != Accept {
		return false, nil
	}
	text, err := json.Marshal(answer.Reply.Values)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return false, fmt.Errorf("decode the answer to %q: %w", key, err)
	}
	return true, nil
}

// Interaction is how Call.Ask reaches the client of a request. Adapters fill it in; the zero value
// reaches no client.
type Interaction struct {
	Kinds InputKinds // what the client has declared

	// Ask asks at once and waits for the answer, in revisions with sessions. It is nil where a question
	// is a result, and the client repeats its request with the answer.
	Ask func(ctx context.Context, in Input) (InputAnswer, error)

	// Check returns the error of an answer that came with a repeated request.
	Check func(in Input, answer InputAnswer) error
	// Seal returns a state that carries earlier answers to the next repetition of this request, and
	// Open returns them. Open fails for a state that this server did not make for the request.
	Seal func(Answers) (string, error)
	Open func(state string) (Answers, error)

	// Completed tells the client that the interaction at a question's URL has ended; nil where the protocol
	// has no such notification.
	Completed func(ctx context.Context, id string) error
}

// atOnce returns the interaction of a call that a handler makes: none where a question would be the result of the
// request, as the client would repeat the outer call.
func (i Interaction) atOnce() Interaction {
	if i.Ask == nil {
		return Interaction{}
	}
	return i
}

// known reports whether the adapter knows how to reach the client of the request.
func (i *Interaction) known() bool { return i.Ask != nil || i.Seal != nil }

// Asks returns the kinds of input that Ask can get for this call: those that the client has declared, of those
// that the tool declares. Calls that a handler makes have none where a question is a result.
func (c *Call) Asks() InputKinds {
	if !c.interaction.known() {
		return 0
	}
	return c.interaction.Kinds & c.Tool.Asks
}

// Ask asks the client for inputs, and returns an answer for each of them. The keys are unique within
// the call. Handlers return every error of Ask as it is.
//
// In revisions with sessions Ask waits for the answers. In stateless ones its error is an *Ask: the
// call ends with the question as its result, the client repeats it with the answers, and the handler
// runs again from its beginning; then Ask returns them. So a handler changes nothing before its last
// question. The state between the repetitions is sealed, and belongs to the caller, the tool and the
// arguments.
//
// A client can answer what it was not asked, so an answer is a statement of the client, not a proof.
// An input that the client has not declared is refused, as Asks says beforehand. One that the manifest does not
// declare under asks is refused whatever the client.
func (c *Call) Ask(ctx context.Context, inputs ...Input) (Answers, error) {
	for _, in := range inputs {
		if !c.Tool.Asks.Has(in.kind()) {
			return nil, c.undeclared(in.kind())
		}
		if !c.Asks().Has(in.kind()) {
			return nil, c.cannotAsk(in.kind())
		}
	}
	if c.interaction.Ask != nil {
		out := make(Answers, len(inputs))
		for _, in := range inputs {
			answer, err := c.interaction.Ask(ctx, in)
			if err != nil {
				return nil, err
			}
			out[in.Key] = answer
		}
		return out, nil
	}
	return c.askLater(inputs)
}

// askLater returns the answers that the request was repeated with, and asks for the others by an *Ask.
func (c *Call) askLater(inputs []Input) (Answers, error) {
	if c.answered == nil {
		c.answered = Answers{}
		if c.inputs.State != "" {
			earlier, err := c.interaction.Open(c.inputs.State)
			if err != nil {
				return nil, err
			}
			maps.Copy(c.answered, earlier)
		}
	}
	out := make(Answers, len(inputs))
	ask := &Ask{}
	for _, in := range inputs {
		answer, ok := c.answered[in.Key]
		if !ok {
			answer, ok = c.inputs.Answers[in.Key]
		}
		if !ok || !answer.isOf(in.kind()) {
			ask.Inputs = append(ask.Inputs, in)
			continue
		}
		if err := c.interaction.Check(in, answer); err != nil {
			return nil, InvalidParams(fmt.Sprintf("the answer to %q: %v", in.Key, err))
		}
		c.answered[in.Key], out[in.Key] = answer, answer
	}
	if len(ask.Inputs) == 0 {
		return out, nil
	}
	var err error
	ask.State, err = c.interaction.Seal(c.answered)
	if err != nil {
		return nil, err
	}
	return nil, ask
}

// isOf reports whether the answer can be one to an input of the kind.
func (a InputAnswer) isOf(kind InputKinds) bool {
	switch kind {
	case InputForm, InputURL:
		return a.Reply != nil
	case InputSampling:
		return a.Sampled != nil
	}
	return a.Roots != nil
}

// Completed tells the client that the interaction at the URL of the question with this ID has ended, such as a
// sign-in. Handlers call it in the call that asked, or later. Stateless clients find out when they
// repeat their request.
func (c *Call) Completed(ctx context.Context, id string) error {
	if c.interaction.Completed == nil {
		return nil
	}
	return c.interaction.Completed(ctx, id)
}

// capability is the name of the client capability for a kind of input, as asks in a manifest has it.
func (s InputKinds) capability() string {
	switch s {
	case InputForm:
		return "elicitation"
	case InputURL:
		return "elicitation.url"
	case InputSampling:
		return "sampling"
	}
	return "roots"
}

// undeclared is the error of an input that the manifest does not declare: a mistake of the handler, and not of the client.
func (c *Call) undeclared(kind InputKinds) error {
	return Refuse(Internal, fmt.Sprintf("%s asks its client for %s and does not declare it: write asks: [%[2]s] in the manifest", c.Tool.Name, kind.capability()))
}

// cannotAsk is the error of an input that the client has not declared.
func (c *Call) cannotAsk(kind InputKinds) error {
	name, what := kind.capability(), "for its directories"
	switch kind {
	case InputForm:
		what = "to show a form to the person behind it"
	case InputURL:
		what = "to have the person behind it open a page"
	case InputSampling:
		what = "to sample its model"
	}
	switch {
	case c.interaction.Seal != nil:
		return MissingCapability(name)
	case c.interaction.Ask != nil:
		return Refuse(Failed, fmt.Sprintf("this client cannot be asked %s: it has not declared the capability %q", what, name))
	}
	return Refuse(Failed, "this call cannot ask the client "+what+": call the tool by itself, over a revision of the protocol that has questions")
}

// Error says that the call goes on when the client repeats it. An *Ask is an error so that handlers
// return it from any depth; it becomes the result of the request.
func (a *Ask) Error() string { return "the request needs an answer of the client" }

// Rewriter changes the questions of a handler to its client, and the answers. Layers around calls use one
// to clean the questions of a handler, and to look at the answers before it does.
type Rewriter struct {
	Text func(string) string // a text of a question
	JSON func([]byte) []byte // the schema of a form
	// Answer is called with the key of a question and the answer to it. Call.Ask returns its error. Nil changes nothing.
	Answer func(key string, answer InputAnswer) (InputAnswer, error)
}

// Interaction returns an interaction whose questions and answers are rewritten.
func (w Rewriter) Interaction(i Interaction) Interaction {
	if ask := i.Ask; ask != nil {
		i.Ask = func(ctx context.Context, in Input) (InputAnswer, error) {
			answer, err := ask(ctx, w.Input(in))
			if err != nil {
				return InputAnswer{}, err
			}
			return w.answer(in.Key, answer)
		}
	}
	if check := i.Check; check != nil {
		i.Check = func(in Input, answer InputAnswer) error { return check(w.Input(in), answer) }
	}
	return i
}

// Inputs returns the additions of a repeated request, its answers rewritten.
func (w Rewriter) Inputs(in Inputs) (Inputs, error) {
	if len(in.Answers) == 0 {
		return in, nil
	}
	answers := make(Answers, len(in.Answers))
	for key, answer := range in.Answers {
		var err error
		if answers[key], err = w.answer(key, answer); err != nil {
			return Inputs{}, err
		}
	}
	in.Answers = answers
	return in, nil
}

func (w Rewriter) answer(key string, answer InputAnswer) (InputAnswer, error) {
	if w.Answer == nil {
		return answer, nil
	}
	return w.Answer(key, answer)
}

// Ask returns a result that is a question with its texts rewritten; nil for nil.
func (w Rewriter) Ask(a *Ask) *Ask {
	if a == nil {
		return nil
	}
	out := *a
	out.Sampling = w.sampling(a.Sampling)
	if a.Question != nil {
		out.Question = new(w.Question(*a.Question))
	}
	out.Inputs = slices.Clone(a.Inputs)
	for i, in := range out.Inputs {
		out.Inputs[i] = w.Input(in)
	}
	return &out
}

// Input returns an input with its texts rewritten.
func (w Rewriter) Input(in Input) Input {
	if in.Question != nil {
		in.Question = new(w.Question(*in.Question))
	}
	if in.Sampling != nil {
		in.Sampling = new(w.sampling(*in.Sampling))
	}
	return in
}

// Question returns a question with its texts and its schema rewritten.
func (w Rewriter) Question(q Question) Question {
	q.Message, q.URL = w.Text(q.Message), w.Text(q.URL)
	if q.Schema != nil {
		q.Schema = json.RawMessage(w.JSON(q.Schema))
	}
	return q
}

func (w Rewriter) sampling(s Sampling) Sampling {
	s.System, s.Prompt = w.Text(s.System), w.Text(s.Prompt)
	s.Messages = slices.Clone(s.Messages)
	for i := range s.Messages {
		s.Messages[i].Content.Text = w.Text(s.Messages[i].Content.Text)
	}
	s.StopSequences = slices.Clone(s.StopSequences)
	for i := range s.StopSequences {
		s.StopSequences[i] = w.Text(s.StopSequences[i])
	}
	return s
}
