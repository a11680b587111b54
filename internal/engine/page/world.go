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

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/script"
	"github.com/callsheet/callsheet/internal/fault"
)

const worldName = "callsheet"

// Every injected script has an address with this prefix, so that a debugger can tell it from the
// page's own scripts and skip it.
const (
	evaluateFunction = "function(o,a,h,n,g){this.acknowledge(h,n);return this(o,a,g)}\n" +
		"//# sourceURL=callsheet:evaluate\n"
	frameElementFunction     = "function(k){return this.frameElement(k)}\n//# sourceURL=callsheet:frameElement\n"
	shadowCandidatesFunction = "function(){return this.takeShadowCandidates()}\n//# sourceURL=callsheet:shadowCandidates\n"
	addShadowRootFunction    = "function(h,r){this.addShadowRoot(h,r)}\n//# sourceURL=callsheet:addShadowRoot\n"
)

// world is the engine inside one document. The entry's object ID identifies the document: the
// debugger refuses it in any other one, even where another process reuses the context number.
type world struct {
	session cdp.Session
	entry   runtime.RemoteObjectID
	context runtime.ExecutionContextID
	frame   cdp.FrameID
	loader  cdp.LoaderID // of the top document; "" in frames
	// parent is the world that holds the frame element, and frameKey that element's key there; nil
	// and 0 for the top document.
	parent   *world
	frameKey int
	// childFrames are the remote frames of this document, by their keys.
	childFrames map[int]cdp.FrameID
	// acknowledged is the number after the last ref of a response that arrived from this world.
	acknowledged int
	// replaced says that the document was replaced; its refs are stale.
	replaced bool
	// document is the handle of the document, or "" before its listeners are listed. listeners are
	// the kinds of listeners that the engine knows of.
	document  runtime.RemoteObjectID
	listeners map[cdp.BackendNodeID]listenerKinds
	// roots say what to look for in the page's own world, and delegated that something was found there.
	roots     listeningRoots
	delegated bool
	// listed says when the listeners were listed, and expected is the generation of the DOM that the
	// next call requires, or 0 for any; see [Page.callWithListeners].
	listed   listing
	expected int
}

// unacknowledged marks a world without a known response. Its first response lists all its refs: the
// document may come from the back-forward cache, or an earlier call may have been cancelled.
const unacknowledged = 1 << 40

// errDocumentReplaced says that the document of a call was replaced.
var errDocumentReplaced = fault.New(codes.Failed, "the document was replaced")

// engineError is an error response of the engine; page.go turns it into a typed error.
type engineError struct {
	kind string
	data json.RawMessage
}

func (r *engineError) Error() string { return "page engine: " + r.kind }

// issuedRef is a ref that a response shows for the first time, or under a new name.
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
	// RemoteFrames are the keys of the frames that the operation met and did not enter.
	// ShadowCandidates counts the elements that may hide a closed shadow tree.
	RemoteFrames     []int `json:"remoteFrames"`
	ShadowCandidates int   `json:"shadowCandidates"`
	// Generation counts the changes of the document. Changed says that it is not the expected one,
	// and that the operation did not run.
	Generation int  `json:"generation"`
	Changed    bool `json:"changed"`
}

// decode stores the result in out, or returns the response's error as an *engineError.
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

// topWorld returns the engine of the top document and injects it when the document is new.
func (p *Page) topWorld(ctx context.Context) (*world, error) {
	// A document in the back-forward cache still answers: the last commit decides, not only whether
	// the handle works.
	if seen := p.tracker.committedLoader(); p.top != nil && !p.top.replaced && (seen == "" || seen == p.top.loader) {
		return p.top, nil
	}
	p.frames.drop()
	p.top = nil
	if err := p.enableDomains(ctx); err != nil {
		return nil, err
	}
	w, err := p.injectTop(ctx)
	if err != nil {
		return nil, err
	}
	p.tracker.setMainFrame(w.frame)
	if w.loader != p.loader {
		p.refs.startDocument()
		p.loader = w.loader
	}
	p.top = w
	p.shown.Store(&engineEntry{session: w.session, entry: w.entry})
	return w, nil
}

// current returns the world of the top document as of the latest call, or nil. It sends nothing.
func (p *Page) current() *world { return p.top }

// checkSameDocument returns errDocumentReplaced when a document was committed since the last call.
func (p *Page) checkSameDocument() error {
	if seen := p.tracker.committedLoader(); seen != "" && p.top != nil && seen != p.top.loader {
		p.top = nil
		return errDocumentReplaced
	}
	return nil
}

// injectTop injects the engine into the document that the tab shows.
func (p *Page) injectTop(ctx context.Context) (*world, error) {
	replaced := newReplacements()
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
		if err := replaced.add(); err != nil {
			return nil, err
		}
	}
}

// topFrame returns the frame and the loader that the tab shows. The last commit gives it: events
// are read in line with responses, so a missed commit arrives before the response of the injection.
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
	isolated := cdppage.CreateIsolatedWorldParams{FrameID: frame, WorldName: worldName}
	made, err := cdp.Call(ctx, s, cdppage.CreateIsolatedWorld, isolated)
	if err != nil {
		return nil, fmt.Errorf("entering the document: %w", classify(err))
	}
	done, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: script.Engine, ContextID: made.ExecutionContextID,
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

// evaluate calls an operation of the top document and decodes its result into out. An *engineError
// is the engine's own error; errDocumentReplaced says that the document was replaced before or
// during the call.
func (p *Page) evaluate(ctx context.Context, operation string, argument, out any) error {
	w, err := p.topWorld(ctx)
	if err != nil {
		return err
	}
	return p.evaluateIn(ctx, w, operation, argument, out)
}

// evaluateIn is evaluate in any world.
func (p *Page) evaluateIn(ctx context.Context, w *world, operation string, argument, out any) error {
	a, err := p.callEngine(ctx, w, operation, argument)
	if err != nil {
		return err
	}
	return a.decode(out)
}

// callEngine sends one call to a world and records the refs of the response.
func (p *Page) callEngine(ctx context.Context, w *world, operation string, argument any) (*response, error) {
	raw, err := json.Marshal(argument)
	if err != nil {
		return nil, fmt.Errorf("encoding the argument of %s: %w", operation, err)
	}
	name, _ := json.Marshal(operation)
	yes := true
	res, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: evaluateFunction, ObjectID: w.entry,
		Arguments: []*runtime.CallArgument{
			{Value: name}, {Value: raw}, {Value: number(w.acknowledged)}, {Value: number(p.refs.next)}, {Value: number(w.expected)},
		},
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

// callError detects that the world's document was replaced. A frame's session ends with its frame;
// the owner of the tab explains the end of the tab's own session.
func (w *world) callError(err error) error {
	err = classify(err)
	if w.parent != nil && strings.Contains(err.Error(), "target navigated or closed") {
		err = fmt.Errorf("%w (its session ended)", errDocumentReplaced)
	}
	w.replaced = w.replaced || errors.Is(err, errDocumentReplaced)
	return err
}

// decodeResponse decodes a response and records its refs.
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
	p.refs.next = max(p.refs.next, a.Next)
	for _, entry := range a.NewRefs {
		p.refs.record(entry, w)
	}
	return &a, nil
}

const describeNodesFunction = "function(h,n,...nodes){this.acknowledge(h,n);return this.describeNodes(nodes)}\n" +
	"//# sourceURL=callsheet:describeNodes\n"

// describeNodes describes elements of a world by the handles of the debugger, and issues refs. An element
// that left the page is nil.
func (p *Page) describeNodes(ctx context.Context, w *world, handles []runtime.RemoteObjectID) ([]*Element, error) {
	yes := true
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: describeNodesFunction, ObjectID: w.entry, ReturnByValue: &yes,
		Arguments: []*runtime.CallArgument{{Value: number(w.acknowledged)}, {Value: number(p.refs.next)}},
	}
	for _, handle := range handles {
		params.Arguments = append(params.Arguments, &runtime.CallArgument{ObjectID: handle})
	}
	res, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, params)
	if err == nil && res.ExceptionDetails != nil {
		err = exception(res.ExceptionDetails)
	}
	if err != nil {
		return nil, w.callError(err)
	}
	a, err := p.decodeResponse(w, res.Result)
	if err != nil {
		return nil, err
	}
	var described []*Element
	err = a.decode(&described)
	return described, err
}

// evaluateWithShadows is evaluateIn for read-only operations that walk the document. It opens the
// closed shadow trees that the walk met and walks again.
func (p *Page) evaluateWithShadows(ctx context.Context, w *world, operation string, argument any) (*response, error) {
	for {
		a, err := p.callWithListeners(ctx, w, operation, argument)
		if err != nil || a.ShadowCandidates == 0 {
			return a, err
		}
		opened, err := w.openShadowTrees(ctx)
		if err != nil {
			return nil, err
		}
		if opened == 0 {
			return a, nil
		}
	}
}

// evaluateWithRetry is evaluate for read-only operations: it repeats the call when the document was
// replaced during it.
func (p *Page) evaluateWithRetry(ctx context.Context, operation string, argument, out any) error {
	return p.withRetry(ctx, operation, func(w *world) error {
		a, err := p.evaluateWithShadows(ctx, w, operation, argument)
		if err != nil {
			return err
		}
		return a.decode(out)
	})
}

// withRetry runs read with the top document until the document is not replaced meanwhile.
func (p *Page) withRetry(ctx context.Context, what string, look func(*world) error) error {
	replaced := newReplacements()
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
		if err := replaced.add(); err != nil {
			return err
		}
	}
}

// classify recognises the debugger's messages for a context that no longer exists. They have no
// code; the texts are those of V8's inspector.
func classify(err error) error {
	text := err.Error()
	for _, sign := range []string{
		"Cannot find context with specified id", "Execution context was destroyed", "Inspected target navigated or closed",
		"Could not find object with given id", "Promise was collected", "uniqueContextId not found",
		"No frame for given id found",
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
