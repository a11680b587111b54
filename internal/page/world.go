package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

const worldName = "callsheet"

// Every script of ours in a page has an address with this prefix, so that a debugger can
// tell it from the page's own and pass it by.
const (
	raiseFunction = "function(n){this.raise(n)}\n//# sourceURL=callsheet:raise\n"
	askFunction   = "function(o,a){return this(o,a)}\n//# sourceURL=callsheet:ask\n"
)

// world is the engine inside one document. The entry's object id carries the
// identity of the document: the debugger refuses it in any other, even in one
// that reuses the context number in another process.
type world struct {
	entry  runtime.RemoteObjectID
	frame  cdp.FrameID
	loader cdp.LoaderID
	// start is the first ref number this document could have issued.
	start int
}

// errWorldGone: the document the call was meant for has been replaced.
var errWorldGone = errors.New("the document was replaced")

// refusal is an engine's answer that is not a result; page.go turns it into
// the typed error of the operation.
type refusal struct {
	kind string
	data json.RawMessage
}

func (r *refusal) Error() string { return "page engine: " + r.kind }

// issued is a ref an answer shows for the first time, or under a new name.
type issued struct {
	N    int    `json:"n"`
	Role string `json:"role"`
	Name string `json:"name"`
}

type answer struct {
	OK      json.RawMessage `json:"ok"`
	Refusal string          `json:"refusal"`
	Data    json.RawMessage `json:"data"`
	Next    int             `json:"next"`
	Fresh   []issued        `json:"fresh"`
}

// install puts the engine into the top document and makes it current.
func (p *Page) install(ctx context.Context) (*world, error) {
	// A document kept in the back-forward cache still answers: the last commit
	// seen decides, not only whether the handle works.
	if seen := p.track.committed(); p.world != nil && (seen == "" || seen == p.world.loader) {
		return p.world, nil
	}
	p.world = nil
	if err := p.attach(ctx); err != nil {
		return nil, err
	}
	tree, err := cdp.Call(ctx, p.session, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, fmt.Errorf("reading the frame tree: %w", err)
	}
	frame := tree.FrameTree.Frame
	made, err := cdp.Call(ctx, p.session, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{
		FrameID: frame.ID, WorldName: worldName,
	})
	if err != nil {
		return nil, fmt.Errorf("entering the document: %w", classify(err))
	}
	done, err := cdp.Call(ctx, p.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: script(), ContextID: made.ExecutionContextID,
	})
	if err == nil && done.ExceptionDetails != nil {
		err = exception(done.ExceptionDetails)
	}
	if err != nil {
		return nil, fmt.Errorf("installing the page engine: %w", classify(err))
	}
	w := &world{entry: done.Result.ObjectID, frame: frame.ID, loader: frame.LoaderID, start: p.next}
	p.track.setMain(frame.ID)
	if _, err := cdp.Call(ctx, p.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: raiseFunction, ObjectID: w.entry, Arguments: []*runtime.CallArgument{{Value: number(p.next)}},
	}); err != nil {
		return nil, fmt.Errorf("installing the page engine: %w", classify(err))
	}
	if w.loader != p.loader {
		p.refs.turn(w.start)
		p.loader = w.loader
	}
	p.world = w
	return w, nil
}

// ask calls an operation of the current document and decodes its result into
// out. A *refusal is the engine's own no; errWorldGone means that the document
// went away before or during the call.
func (p *Page) ask(ctx context.Context, operation string, argument, out any) error {
	w, err := p.install(ctx)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(argument)
	if err != nil {
		return fmt.Errorf("encoding the argument of %s: %w", operation, err)
	}
	name, _ := json.Marshal(operation)
	yes := true
	res, err := cdp.Call(ctx, p.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: askFunction, ObjectID: w.entry,
		Arguments:     []*runtime.CallArgument{{Value: name}, {Value: raw}},
		ReturnByValue: &yes, AwaitPromise: &yes,
	})
	if err == nil && res.ExceptionDetails != nil {
		err = exception(res.ExceptionDetails)
	}
	if err != nil {
		err = classify(err)
		if errors.Is(err, errWorldGone) {
			p.world = nil
		}
		return fmt.Errorf("%s in the page: %w", operation, err)
	}
	return p.accept(res.Result, out)
}

// accept records the refs an answer issued and decodes its result.
func (p *Page) accept(res *runtime.RemoteObject, out any) error {
	var text string
	if err := json.Unmarshal(res.Value, &text); err != nil {
		return fmt.Errorf("reading the page engine's answer: %w", err)
	}
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return fmt.Errorf("reading the page engine's answer: %w", err)
	}
	p.next = max(p.next, a.Next)
	for _, entry := range a.Fresh {
		p.refs.learn(entry)
	}
	if a.Refusal != "" {
		return &refusal{kind: a.Refusal, data: a.Data}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(a.OK, out); err != nil {
		return fmt.Errorf("reading the page engine's result: %w", err)
	}
	return nil
}

// askAgain is ask for operations that only look: when the document goes away
// under the question, the next one is asked.
func (p *Page) askAgain(ctx context.Context, operation string, argument, out any) error {
	for {
		err := p.ask(ctx, operation, argument, out)
		if !errors.Is(err, errWorldGone) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s in the page: %w", operation, context.Cause(ctx))
		}
	}
}

// classify recognises the debugger's ways of saying that a context is gone.
// They have no code of their own; the texts are those of V8's inspector.
func classify(err error) error {
	text := err.Error()
	for _, sign := range []string{
		"Cannot find context with specified id", "Execution context was destroyed", "Inspected target navigated or closed",
		"Could not find object with given id", "Promise was collected", "uniqueContextId not found", "No frame for given id found",
		"Invalid remote object id", "No frame with given id",
	} {
		if strings.Contains(text, sign) {
			return fmt.Errorf("%w (%s)", errWorldGone, sign)
		}
	}
	return err
}

func exception(d *runtime.ExceptionDetails) error {
	if d.Exception != nil && d.Exception.Description != "" {
		return errors.New(d.Exception.Description)
	}
	return errors.New(d.Text)
}
