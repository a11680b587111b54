package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/script"
	"github.com/callsheet/callsheet/internal/fault"
)

func number(n int) jsonv2.Value { return strconv.AppendInt(nil, int64(n), 10) }

// WorldName is the name of the isolated world that the injected script runs in.
const WorldName = "callsheet"

// Every injected script has an address with this prefix, so that a debugger can tell it from the
// page's own scripts and skip it.
const (
	evaluateFunction = "function(o,a,h,n,g){this.acknowledge(h,n);return this(o,a,g)}\n" +
		"//# sourceURL=callsheet:evaluate\n"
	frameElementFunction     = "function(k){return this.frameElement(k)}\n//# sourceURL=callsheet:frameElement\n"
	shadowCandidatesFunction = "function(){return this.takeShadowCandidates()}\n//# sourceURL=callsheet:shadowCandidates\n"
	addShadowRootFunction    = "function(h,r){this.addShadowRoot(h,r)}\n//# sourceURL=callsheet:addShadowRoot\n"
)

// World is the engine inside one document. The entry's object ID identifies the document: the
// debugger refuses it in any other one, even where another process reuses the context number.
type World struct {
	Session cdp.Session
	Entry   runtime.RemoteObjectID
	Context runtime.ExecutionContextID
	Frame   cdp.FrameID
	Loader  cdp.LoaderID // of the top document; "" in frames
	// parent is the world that holds the frame element, and FrameKey that element's key there; nil
	// and 0 for the top document.
	Parent   *World
	FrameKey int
	// childFrames are the remote frames of this document, by their keys.
	childFrames map[int]cdp.FrameID
	// acknowledged is the number after the last ref of a response that arrived from this world.
	acknowledged int
	// replaced says that the document was replaced; its refs are stale.
	Replaced bool
	// document and window are their handles, or "" before the listeners are listed. listeners are
	// the kinds of listeners that the engine knows of.
	document  runtime.RemoteObjectID
	window    runtime.RemoteObjectID
	listeners map[cdp.BackendNodeID]listenerKinds
	// roots are the objects to look for in the page's own world; delegated says that one was found there.
	roots     listeningRoots
	delegated bool
	// internals says that elements of the document attach internals.
	internals bool
	// secrets is the version of the texts that the engine masks.
	secrets int
	// listed says when the listeners were listed, and expected is the generation of the DOM that the
	// next call requires, or 0 for any; see [Document.callWithListeners].
	listed   listing
	expected int
}

// unacknowledged marks a world without a known response. Its first response lists all its refs: the
// document may come from the back-forward cache, or an earlier call may have been cancelled.
const unacknowledged = 1 << 40

// ErrReplaced says that the document of a call was replaced.
var ErrReplaced = fault.New(codes.Failed, "the document was replaced")

// EngineError is an error response of the engine; page.go turns it into a typed error.
type EngineError struct {
	Kind string
	Data json.RawMessage
}

func (r *EngineError) Error() string { return "page engine: " + r.Kind }

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
	// Internals counts the custom elements that were not asked for their role.
	Internals int `json:"internals"`
	// Generation counts the changes of the document. Changed says that it is not the expected one,
	// and that the operation did not run.
	Generation int  `json:"generation"`
	Changed    bool `json:"changed"`
}

// Decode stores the result in out, or returns the response's error as an *EngineError.
func (a *response) Decode(out any) error {
	if a.Error != "" {
		return &EngineError{Kind: a.Error, Data: a.Data}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(a.OK, out); err != nil {
		return fmt.Errorf("reading the page engine's result: %w", err)
	}
	return nil
}

// TopWorld returns the engine of the top document and injects it when the document is new.
func (d *Document) TopWorld(ctx context.Context) (*World, error) {
	// A document in the back-forward cache still answers: the last commit decides, not only whether
	// the handle works.
	if seen := d.Tracker.CommittedLoader(); d.top != nil && !d.top.Replaced && (seen == "" || seen == d.top.Loader) {
		return d.top, nil
	}
	d.Frames.drop()
	d.top = nil
	if err := d.enableDomains(ctx); err != nil {
		return nil, err
	}
	w, err := d.injectTop(ctx)
	if err != nil {
		return nil, err
	}
	d.Tracker.SetMainFrame(w.Frame)
	if w.Loader != d.loader {
		d.Refs.startDocument()
		d.loader = w.Loader
	}
	d.top = w
	d.shown.Store(&engineEntry{session: w.Session, entry: w.Entry})
	return w, nil
}

// Current returns the world of the top document as of the latest call, or nil. It sends nothing.
func (d *Document) Current() *World { return d.top }

// CheckSameDocument returns ErrReplaced when a document was committed since the last call.
func (d *Document) CheckSameDocument() error {
	if seen := d.Tracker.CommittedLoader(); seen != "" && d.top != nil && seen != d.top.Loader {
		d.top = nil
		return ErrReplaced
	}
	return nil
}

// injectTop injects the engine into the document that the tab shows.
func (d *Document) injectTop(ctx context.Context) (*World, error) {
	replaced := NewReplacements()
	for {
		frame, loader, err := d.topFrame(ctx)
		if err != nil {
			return nil, err
		}
		w, err := inject(ctx, d.Session, frame)
		if err != nil {
			return nil, err
		}
		w.Loader = loader
		if seen := d.Tracker.CommittedLoader(); seen == "" || seen == loader || ctx.Err() != nil {
			return w, nil
		}
		if err := replaced.Add(); err != nil {
			return nil, err
		}
	}
}

// topFrame returns the frame and the loader that the tab shows. The last commit gives it: events
// are read in line with responses, so a missed commit arrives before the response of the injection.
func (d *Document) topFrame(ctx context.Context) (cdp.FrameID, cdp.LoaderID, error) {
	if frame, loader := d.Tracker.CommittedFrame(); frame != "" && loader != "" {
		return frame, loader, nil
	}
	tree, err := cdp.Call(ctx, d.Session, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return "", "", fmt.Errorf("reading the frame tree: %w", err)
	}
	return tree.FrameTree.Frame.ID, tree.FrameTree.Frame.LoaderID, nil
}

// inject puts the engine into the document that a frame of the session shows.
func inject(ctx context.Context, s cdp.Session, frame cdp.FrameID) (*World, error) {
	isolated := cdppage.CreateIsolatedWorldParams{FrameID: frame, WorldName: WorldName}
	made, err := cdp.Call(ctx, s, cdppage.CreateIsolatedWorld, isolated)
	if err != nil {
		return nil, fmt.Errorf("entering the document: %w", Classify(err))
	}
	done, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: script.Engine, ContextID: made.ExecutionContextID,
	})
	if err == nil && done.ExceptionDetails != nil {
		err = Exception(done.ExceptionDetails)
	}
	if err != nil {
		return nil, fmt.Errorf("installing the page engine: %w", Classify(err))
	}
	return &World{
		Session: s, Entry: done.Result.ObjectID, Context: made.ExecutionContextID, Frame: frame,
		childFrames: map[int]cdp.FrameID{}, acknowledged: unacknowledged,
	}, nil
}

// Evaluate calls an operation of the top document and decodes its result into out. An *EngineError
// is the engine's own error; ErrReplaced says that the document was replaced before or
// during the call.
func (d *Document) Evaluate(ctx context.Context, operation string, argument, out any) error {
	w, err := d.TopWorld(ctx)
	if err != nil {
		return err
	}
	return d.EvaluateIn(ctx, w, operation, argument, out)
}

// EvaluateIn is evaluate in any world.
func (d *Document) EvaluateIn(ctx context.Context, w *World, operation string, argument, out any) error {
	a, err := d.callEngine(ctx, w, operation, argument)
	if err != nil {
		return err
	}
	return a.Decode(out)
}

// callEngine sends one call to a world and records the refs of the response.
func (d *Document) callEngine(ctx context.Context, w *World, operation string, argument any) (*response, error) {
	if version, forms := d.SecretTexts(ctx, w.secrets); version > w.secrets {
		w.secrets = version
		if _, err := d.callEngine(ctx, w, "knowSecrets", map[string]any{"forms": forms}); err != nil {
			return nil, err
		}
	}
	raw, err := json.Marshal(argument)
	if err != nil {
		return nil, fmt.Errorf("encoding the argument of %s: %w", operation, err)
	}
	name, _ := json.Marshal(operation)
	yes, gesture := true, operation == "edit" // a person's choice in a list or press of a player's button is one
	numbers := d.Refs.numbers
	start := numbers.begin()
	next := start
	defer func() { numbers.end(start, next) }()
	res, err := cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: evaluateFunction, ObjectID: w.Entry,
		Arguments: []*runtime.CallArgument{
			{Value: name}, {Value: raw}, {Value: number(w.acknowledged)}, {Value: number(start)}, {Value: number(w.expected)},
		},
		ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &gesture,
	})
	if err == nil && res.ExceptionDetails != nil {
		err = Exception(res.ExceptionDetails)
	}
	if err != nil {
		return nil, fmt.Errorf("%s in the page: %w", operation, w.CallError(err))
	}
	a, err := d.decodeResponse(w, res.Result)
	if err == nil {
		next = a.Next
	}
	return a, err
}

// CallError detects that the world's document was replaced. A frame's session ends with its frame;
// the owner of the tab explains the end of the tab's own session.
func (w *World) CallError(err error) error {
	err = Classify(err)
	if w.Parent != nil && strings.Contains(err.Error(), "target navigated or closed") {
		err = fmt.Errorf("%w (its session ended)", ErrReplaced)
	}
	w.Replaced = w.Replaced || errors.Is(err, ErrReplaced)
	return err
}

// decodeResponse decodes a response and records its refs.
func (d *Document) decodeResponse(w *World, res *runtime.RemoteObject) (*response, error) {
	var text string
	if err := json.Unmarshal(res.Value, &text); err != nil {
		return nil, fmt.Errorf("reading the page engine's answer: %w", err)
	}
	var a response
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, fmt.Errorf("reading the page engine's answer: %w", err)
	}
	w.acknowledged = a.Next
	for _, entry := range a.NewRefs {
		d.Refs.next = max(d.Refs.next, a.Next) // a call that issued none gives its numbers back
		d.Refs.record(entry, w)
	}
	return &a, nil
}

// EvaluateWithShadows is EvaluateIn for read-only operations that walk the document. It opens the
// closed shadow trees that the walk met, asks for the internals of custom elements, and walks again.
func (d *Document) EvaluateWithShadows(ctx context.Context, w *World, operation string, argument any) (*response, error) {
	for {
		a, err := d.callWithListeners(ctx, w, operation, argument)
		if err != nil || a.ShadowCandidates == 0 && a.Internals == 0 {
			return a, err
		}
		marked, opened := false, 0
		if a.Internals > 0 {
			if marked, err = w.markInternals(ctx); err != nil {
				return nil, err
			}
		}
		if a.ShadowCandidates > 0 {
			if opened, err = w.openShadowTrees(ctx); err != nil {
				return nil, err
			}
		}
		if opened == 0 && !marked {
			return a, nil
		}
	}
}

// EvaluateWithRetry is evaluate for read-only operations: it repeats the call when the document was
// replaced during it.
func (d *Document) EvaluateWithRetry(ctx context.Context, operation string, argument, out any) error {
	return d.WithRetry(ctx, operation, func(w *World) error {
		a, err := d.EvaluateWithShadows(ctx, w, operation, argument)
		if err != nil {
			return err
		}
		return a.Decode(out)
	})
}

// WithRetry runs read with the top document until the document is not replaced meanwhile.
func (d *Document) WithRetry(ctx context.Context, what string, look func(*World) error) error {
	replaced := NewReplacements()
	for {
		w, err := d.TopWorld(ctx)
		if err == nil {
			err = look(w)
		}
		if !errors.Is(err, ErrReplaced) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s in the page: %w", what, context.Cause(ctx))
		}
		if err := replaced.Add(); err != nil {
			return err
		}
	}
}

// Classify recognises the debugger's messages for a context that no longer exists. They have no
// code; the texts are those of V8's inspector.
func Classify(err error) error {
	text := err.Error()
	for _, sign := range []string{
		"Cannot find context with specified id", "Execution context was destroyed", "Inspected target navigated or closed",
		"Could not find object with given id", "Promise was collected", "uniqueContextId not found",
		"No frame for given id found",
		"Invalid remote object id", "No frame with given id",
	} {
		if strings.Contains(text, sign) {
			return fmt.Errorf("%w (%s)", ErrReplaced, sign)
		}
	}
	return err
}

// Exception returns the error that a script threw; nil details are none of an error's.
func Exception(d *runtime.ExceptionDetails) error {
	if d.Exception != nil && d.Exception.Description != "" {
		return errors.New(d.Exception.Description)
	}
	return errors.New(d.Text)
}
