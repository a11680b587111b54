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
	evaluateFunction         = "function(o,a,h,n){this.acknowledge(h,n);return this(o,a)}\n//# sourceURL=callsheet:evaluate\n"
	frameElementFunction     = "function(k){return this.frameElement(k)}\n//# sourceURL=callsheet:frameElement\n"
	shadowCandidatesFunction = "function(){return this.takeShadowCandidates()}\n//# sourceURL=callsheet:shadowCandidates\n"
	addShadowRootFunction    = "function(h,r){this.addShadowRoot(h,r)}\n//# sourceURL=callsheet:addShadowRoot\n"
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
	parent   *world
	frameKey int
	// childFrames are what is behind the doors of this document, by their keys.
	childFrames map[int]cdp.FrameID
	// acknowledged is the number after the last one that an answer from here brought.
	acknowledged int
	// replaced says that the document was replaced; its refs hold no longer.
	replaced bool
}

// unacknowledged is the heard of a world of which no answer is known. Its first answer tells all refs that it has: the document may
// have come back from the back-forward cache, or may have been given up on.
const unacknowledged = 1 << 40

// errDocumentReplaced: the document the call was meant for has been replaced.
var errDocumentReplaced = errors.New("the document was replaced")

// engineError is an engine's answer that is not a result; page.go turns it into
// the typed error of the operation.
type engineError struct {
	kind string
	data json.RawMessage
}

func (r *engineError) Error() string { return "page engine: " + r.kind }

// issuedRef is a ref an answer shows for the first time, or under a new name.
type issuedRef struct {
	N    int    `json:"n"`
	Role string `json:"role"`
	Name string `json:"name"`
}

type response struct {
	OK      json.RawMessage `json:"ok"`
	Error   string          `json:"error"`
	Data    json.RawMessage `json:"data"`
	Next    int             `json:"next"`
	NewRefs []issuedRef     `json:"newRefs"`
	// RemoteFrames are the keys of the frames that were met and not entered, and
	// Suspects counts the elements that may hide a closed shadow tree.
	RemoteFrames     []int `json:"remoteFrames"`
	ShadowCandidates int   `json:"shadowCandidates"`
}

// decode is the answer's result, or its refusal as an error.
func (a *response) decode(out any) error {
	if a.Error != "" {
		return &engineError{kind: a.Error, data: a.Data}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(a.OK, out); err != nil {
		return fmt.Errorf("reading the page engine's result: %w", err)
	}
	return nil
}

// topWorld puts the engine into the top document and makes it current.
func (p *Page) topWorld(ctx context.Context) (*world, error) {
	// A document kept in the back-forward cache still answers: the last commit
	// seen decides, not only whether the handle works.
	if seen := p.tracker.committedLoader(); p.world != nil && !p.world.replaced && (seen == "" || seen == p.world.loader) {
		return p.world, nil
	}
	p.dropFrames()
	p.world = nil
	if err := p.enableDomains(ctx); err != nil {
		return nil, err
	}
	w, err := p.injectTop(ctx)
	if err != nil {
		return nil, err
	}
	p.tracker.setMainFrame(w.frame)
	if w.loader != p.loader {
		p.refs.startDocument(p.nextRef)
		p.loader = w.loader
	}
	p.world = w
	return w, nil
}

// injectTop puts the engine into the document that the tab shows.
func (p *Page) injectTop(ctx context.Context) (*world, error) {
	for {
		frame, loader, err := p.topFrame(ctx)
		if err != nil {
			return nil, err
		}
		w, err := inject(ctx, p.session, frame)
		if err != nil {
			return nil, err
		}
		w.loader = loader
		if seen := p.tracker.committedLoader(); seen == "" || seen == loader || ctx.Err() != nil {
			return w, nil
		}
	}
}

// topFrame is the document that the tab shows. The last commit tells it: events are read in line with answers, so one that was
// missed comes before the answer of the engine's installation.
func (p *Page) topFrame(ctx context.Context) (cdp.FrameID, cdp.LoaderID, error) {
	if frame, loader := p.tracker.committedFrame(); frame != "" && loader != "" {
		return frame, loader, nil
	}
	tree, err := cdp.Call(ctx, p.session, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return "", "", fmt.Errorf("reading the frame tree: %w", err)
	}
	return tree.FrameTree.Frame.ID, tree.FrameTree.Frame.LoaderID, nil
}

// inject puts the engine into the document that a frame of the session shows.
func inject(ctx context.Context, s cdp.Session, frame cdp.FrameID) (*world, error) {
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
		childFrames: map[int]cdp.FrameID{}, acknowledged: unacknowledged,
	}, nil
}

// evaluate calls an operation of the top document and decodes its result into
// out. A *refusal is the engine's own no; errDocumentReplaced means that the document
// went away before or during the call.
func (p *Page) evaluate(ctx context.Context, operation string, argument, out any) error {
	w, err := p.topWorld(ctx)
	if err != nil {
		return err
	}
	return p.evaluateIn(ctx, w, operation, argument, out)
}

// evaluateIn is ask in any world.
func (p *Page) evaluateIn(ctx context.Context, w *world, operation string, argument, out any) error {
	a, err := p.callEngine(ctx, w, operation, argument)
	if err != nil {
		return err
	}
	return a.decode(out)
}

// callEngine carries one question to a world and records the refs of the answer.
func (p *Page) callEngine(ctx context.Context, w *world, operation string, argument any) (*response, error) {
	raw, err := json.Marshal(argument)
	if err != nil {
		return nil, fmt.Errorf("encoding the argument of %s: %w", operation, err)
	}
	name, _ := json.Marshal(operation)
	yes := true
	res, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: evaluateFunction, ObjectID: w.entry,
		Arguments:     []*runtime.CallArgument{{Value: name}, {Value: raw}, {Value: number(w.acknowledged)}, {Value: number(p.nextRef)}},
		ReturnByValue: &yes, AwaitPromise: &yes,
	})
	if err == nil && res.ExceptionDetails != nil {
		err = exception(res.ExceptionDetails)
	}
	if err != nil {
		return nil, fmt.Errorf("%s in the page: %w", operation, w.callError(err))
	}
	return p.decodeResponse(w, res.Result)
}

// callError recognises that the world's document is gone. A frame's session ends
// with its frame; the end of the tab's own is for its owner to explain.
func (w *world) callError(err error) error {
	err = classify(err)
	if w.parent != nil && strings.Contains(err.Error(), "target navigated or closed") {
		err = fmt.Errorf("%w (its session ended)", errDocumentReplaced)
	}
	w.replaced = w.replaced || errors.Is(err, errDocumentReplaced)
	return err
}

// decodeResponse records the refs an answer issued.
func (p *Page) decodeResponse(w *world, res *runtime.RemoteObject) (*response, error) {
	var text string
	if err := json.Unmarshal(res.Value, &text); err != nil {
		return nil, fmt.Errorf("reading the page engine's answer: %w", err)
	}
	var a response
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, fmt.Errorf("reading the page engine's answer: %w", err)
	}
	w.acknowledged = a.Next
	p.nextRef = max(p.nextRef, a.Next)
	for _, entry := range a.NewRefs {
		p.refs.record(entry, w)
	}
	return &a, nil
}

// evaluateWithShadows is ask for operations that only look and that walk the whole document:
// closed shadow trees that the walk came by are opened, and it walks again.
func (p *Page) evaluateWithShadows(ctx context.Context, w *world, operation string, argument any) (*response, error) {
	for {
		a, err := p.callEngine(ctx, w, operation, argument)
		if err != nil || a.ShadowCandidates == 0 {
			return a, err
		}
		opened, err := p.openShadowTrees(ctx, w)
		if err != nil {
			return nil, err
		}
		if opened == 0 {
			return a, nil
		}
	}
}

// evaluateWithRetry is ask for operations that only look: when the document goes away
// under the question, the next one is asked.
func (p *Page) evaluateWithRetry(ctx context.Context, operation string, argument, out any) error {
	return p.withRetry(ctx, operation, func(w *world) error {
		a, err := p.evaluateWithShadows(ctx, w, operation, argument)
		if err != nil {
			return err
		}
		return a.decode(out)
	})
}

// withRetry runs a look at the top document until that stays under it.
func (p *Page) withRetry(ctx context.Context, what string, look func(*world) error) error {
	for {
		w, err := p.topWorld(ctx)
		if err == nil {
			err = look(w)
		}
		if !errors.Is(err, errDocumentReplaced) {
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
			return fmt.Errorf("%w (%s)", errDocumentReplaced, sign)
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
