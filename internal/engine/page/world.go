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
	askFunction     = "function(o,a,h,n){this.turnTo(h,n);return this(o,a)}\n//# sourceURL=callsheet:ask\n"
	doorFunction    = "function(k){return this.door(k)}\n//# sourceURL=callsheet:door\n"
	accusedFunction = "function(){return this.accused()}\n//# sourceURL=callsheet:accused\n"
	openFunction    = "function(h,r){this.open(h,r)}\n//# sourceURL=callsheet:open\n"
)

// world is the engine inside one document. The entry's object id carries the
// identity of the document: the debugger refuses it in any other, even in one
// that reuses the context number in another process.
type world struct {
	session cdp.Session
	entry   runtime.RemoteObjectID
	context runtime.ExecutionContextID
	frame   cdp.FrameID
	loader  cdp.LoaderID // of the top document; "" in frames
	// parent is the world that holds the frame element, and door that element's
	// key there; nil and 0 for the top document.
	parent *world
	door   int
	// frames are what is behind the doors of this document, by their keys.
	frames map[int]cdp.FrameID
	// heard is the number after the last one that an answer from here brought.
	heard int
	// gone says that the document was replaced; its refs hold no longer.
	gone bool
}

// unheard is the heard of a world of which no answer is known. Its first answer tells all refs that it has: the document may
// have come back from the back-forward cache, or may have been given up on.
const unheard = 1 << 40

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
	// Doors are the keys of the frames that were met and not entered, and
	// Suspects counts the elements that may hide a closed shadow tree.
	Doors    []int `json:"doors"`
	Suspects int   `json:"suspects"`
}

// decode is the answer's result, or its refusal as an error.
func (a *answer) decode(out any) error {
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

// install puts the engine into the top document and makes it current.
func (p *Page) install(ctx context.Context) (*world, error) {
	// A document kept in the back-forward cache still answers: the last commit
	// seen decides, not only whether the handle works.
	if seen := p.track.committed(); p.world != nil && !p.world.gone && (seen == "" || seen == p.world.loader) {
		return p.world, nil
	}
	p.forgetFrames()
	p.world = nil
	if err := p.attach(ctx); err != nil {
		return nil, err
	}
	w, err := p.implantTop(ctx)
	if err != nil {
		return nil, err
	}
	p.track.setMain(w.frame)
	if w.loader != p.loader {
		p.refs.turn(p.next)
		p.loader = w.loader
	}
	p.world = w
	return w, nil
}

// implantTop puts the engine into the document that the tab shows.
func (p *Page) implantTop(ctx context.Context) (*world, error) {
	for {
		frame, loader, err := p.top(ctx)
		if err != nil {
			return nil, err
		}
		w, err := implant(ctx, p.session, frame)
		if err != nil {
			return nil, err
		}
		w.loader = loader
		if seen := p.track.committed(); seen == "" || seen == loader || ctx.Err() != nil {
			return w, nil
		}
	}
}

// top is the document that the tab shows. The last commit tells it: events are read in line with answers, so one that was
// missed comes before the answer of the engine's installation.
func (p *Page) top(ctx context.Context) (cdp.FrameID, cdp.LoaderID, error) {
	if frame, loader := p.track.shown(); frame != "" && loader != "" {
		return frame, loader, nil
	}
	tree, err := cdp.Call(ctx, p.session, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return "", "", fmt.Errorf("reading the frame tree: %w", err)
	}
	return tree.FrameTree.Frame.ID, tree.FrameTree.Frame.LoaderID, nil
}

// implant puts the engine into the document that a frame of the session shows.
func implant(ctx context.Context, s cdp.Session, frame cdp.FrameID) (*world, error) {
	made, err := cdp.Call(ctx, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: frame, WorldName: worldName})
	if err != nil {
		return nil, fmt.Errorf("entering the document: %w", classify(err))
	}
	done, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: script(), ContextID: made.ExecutionContextID,
	})
	if err == nil && done.ExceptionDetails != nil {
		err = exception(done.ExceptionDetails)
	}
	if err != nil {
		return nil, fmt.Errorf("installing the page engine: %w", classify(err))
	}
	return &world{
		session: s, entry: done.Result.ObjectID, context: made.ExecutionContextID, frame: frame,
		frames: map[int]cdp.FrameID{}, heard: unheard,
	}, nil
}

// ask calls an operation of the top document and decodes its result into
// out. A *refusal is the engine's own no; errWorldGone means that the document
// went away before or during the call.
func (p *Page) ask(ctx context.Context, operation string, argument, out any) error {
	w, err := p.install(ctx)
	if err != nil {
		return err
	}
	return p.askIn(ctx, w, operation, argument, out)
}

// askIn is ask in any world.
func (p *Page) askIn(ctx context.Context, w *world, operation string, argument, out any) error {
	a, err := p.call(ctx, w, operation, argument)
	if err != nil {
		return err
	}
	return a.decode(out)
}

// call carries one question to a world and records the refs of the answer.
func (p *Page) call(ctx context.Context, w *world, operation string, argument any) (*answer, error) {
	raw, err := json.Marshal(argument)
	if err != nil {
		return nil, fmt.Errorf("encoding the argument of %s: %w", operation, err)
	}
	name, _ := json.Marshal(operation)
	yes := true
	res, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: askFunction, ObjectID: w.entry,
		Arguments:     []*runtime.CallArgument{{Value: name}, {Value: raw}, {Value: number(w.heard)}, {Value: number(p.next)}},
		ReturnByValue: &yes, AwaitPromise: &yes,
	})
	if err == nil && res.ExceptionDetails != nil {
		err = exception(res.ExceptionDetails)
	}
	if err != nil {
		return nil, fmt.Errorf("%s in the page: %w", operation, w.lost(err))
	}
	return p.accept(w, res.Result)
}

// lost recognises that the world's document is gone. A frame's session ends
// with its frame; the end of the tab's own is for its owner to explain.
func (w *world) lost(err error) error {
	err = classify(err)
	if w.parent != nil && strings.Contains(err.Error(), "target navigated or closed") {
		err = fmt.Errorf("%w (its session ended)", errWorldGone)
	}
	w.gone = w.gone || errors.Is(err, errWorldGone)
	return err
}

// accept records the refs an answer issued.
func (p *Page) accept(w *world, res *runtime.RemoteObject) (*answer, error) {
	var text string
	if err := json.Unmarshal(res.Value, &text); err != nil {
		return nil, fmt.Errorf("reading the page engine's answer: %w", err)
	}
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, fmt.Errorf("reading the page engine's answer: %w", err)
	}
	w.heard = a.Next
	p.next = max(p.next, a.Next)
	for _, entry := range a.Fresh {
		p.refs.learn(entry, w)
	}
	return &a, nil
}

// look is ask for operations that only look and that walk the whole document:
// closed shadow trees that the walk came by are opened, and it walks again.
func (p *Page) look(ctx context.Context, w *world, operation string, argument any) (*answer, error) {
	for {
		a, err := p.call(ctx, w, operation, argument)
		if err != nil || a.Suspects == 0 {
			return a, err
		}
		opened, err := p.uncover(ctx, w)
		if err != nil {
			return nil, err
		}
		if opened == 0 {
			return a, nil
		}
	}
}

// askAgain is ask for operations that only look: when the document goes away
// under the question, the next one is asked.
func (p *Page) askAgain(ctx context.Context, operation string, argument, out any) error {
	return p.retry(ctx, operation, func(w *world) error {
		a, err := p.look(ctx, w, operation, argument)
		if err != nil {
			return err
		}
		return a.decode(out)
	})
}

// retry runs a look at the top document until that stays under it.
func (p *Page) retry(ctx context.Context, what string, look func(*world) error) error {
	for {
		w, err := p.install(ctx)
		if err == nil {
			err = look(w)
		}
		if !errors.Is(err, errWorldGone) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s in the page: %w", what, context.Cause(ctx))
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
