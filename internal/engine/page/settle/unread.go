package settle

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/track"
)

const (
	// readingTimeout bounds the wait for the end of a response that has data and gets no more, where the
	// page has pending promises that may be about something else.
	readingTimeout = 300 * time.Millisecond
	// completeAnswers is how many answers of the page a response with all its data waits for its end: a browser that
	// answers late on a busy machine reports the end late too.
	completeAnswers = 6
	// maxPromises bounds the promises that a check looks at.
	maxPromises = 5000

	bodyGroup = "callsheet:bodies"
)

// promiseExpression is the prototype of promises of a page without frames.
const promiseExpression = "self.length?null:Promise.prototype\n//# sourceURL=callsheet:promises\n"

// documentsFunction lists the documents of a page and of its frames of the same origin. Its last element
// says whether there are frames of other origins.
const documentsFunction = `(()=>{const found=[];let foreign=false;const visit=(view)=>{
try{found[found.length]=view.document}catch{foreign=true;return}
for(let i=0;i<view.length;i++)visit(view[i])};visit(window);found[found.length]=foreign;return found})()
//# sourceURL=callsheet:documents
`

// prototypesFunction runs in the realm of a document.
const prototypesFunction = "function(){return [Promise.prototype,ReadableStream.prototype]}\n//# sourceURL=callsheet:prototypes\n"

const isLockedFunction = "function(){return this.some((stream)=>stream.locked)}\n//# sourceURL=callsheet:isLocked\n"

// pageReads is the evidence that a page's scripts still read response bodies.
type pageReads struct {
	promises int  // pending ones
	pieces   bool // a stream is read piece by piece
	foreign  bool // documents of other origins may read as well
}

// idlePage is how many promises of a document were pending when it read no response.
type idlePage struct {
	loader   cdp.LoaderID
	promises int
}

// endUnreadBodies ends the requests of responses that the page does not read, or reads as a stream
// without an end, and returns their number. An error leaves them pending.
func (wt *Waiter) endUnreadBodies(ctx context.Context) (ended int) {
	due := wt.doc.Tracker.DueBodies()
	if len(due) == 0 {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, track.RequestTimeout)
	defer cancel()
	checked := map[cdp.Session]*pageReads{}
	for _, body := range due {
		s := body.Session
		if s == nil {
			s = wt.doc.Session
		}
		if body.Complete && body.Quiet >= (completeAnswers-1)*answerTime(ctx, s) {
			if wt.doc.Tracker.EndBody(body.Request) {
				ended++
			}
			continue
		}
		reads, known := checked[s]
		if !known {
			reads, _ = findReads(ctx, s)
			checked[s] = reads
		}
		if reads != nil && wt.isUnread(body, *reads) && wt.doc.Tracker.EndBody(body.Request) {
			ended++
		}
	}
	return ended
}

// answerTime returns the time in which a page answers a call.
func answerTime(ctx context.Context, s cdp.Session) time.Duration {
	begun := time.Now()
	_, _ = cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"}) // the document may have gone
	return time.Since(begun)
}

// isUnread decides whether nothing waits for the rest of a body.
func (wt *Waiter) isUnread(b track.Body, reads pageReads) bool {
	switch {
	case reads.foreign:
	case reads.promises == 0, reads.promises <= wt.idle.promises && wt.idle.loader == wt.doc.Loader():
		return true
	}
	switch {
	case reads.pieces && b.Endless && b.HasData:
		return true
	case b.HasData && b.Endless && b.Quiet >= readingTimeout:
		if b.Alone && b.Session == nil {
			wt.idle = idlePage{wt.doc.Loader(), reads.promises}
		}
		return true
	}
	return false
}

// findReads looks for reads of responses in the page of a session. Listing the objects of a page collects its garbage:
// abandoned responses and their promises are gone.
func findReads(ctx context.Context, s cdp.Session) (*pageReads, error) {
	defer func() {
		group := runtime.ReleaseObjectGroupParams{ObjectGroup: bodyGroup}
		_, _ = cdp.Call(ctx, s, runtime.ReleaseObjectGroup, group) // the document may have gone
	}()
	yes := true
	prototype, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: promiseExpression, ObjectGroup: bodyGroup, Silent: &yes,
	})
	if err == nil && prototype.Result.ObjectID != "" {
		var out pageReads
		if err := out.countPromises(ctx, s, prototype.Result.ObjectID); err != nil || out.promises == 0 {
			return &out, err
		}
	}
	list, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: documentsFunction, ObjectGroup: bodyGroup, Silent: &yes,
	})
	if err != nil {
		return nil, fmt.Errorf("listing the documents of the page: %w", err)
	}
	documents, err := elementsOf(ctx, s, list.Result.ObjectID, false)
	if err != nil {
		return nil, err
	}
	var out pageReads
	for _, d := range documents {
		if d.ObjectID == "" {
			out.foreign = string(d.Value) == "true"
		} else if err := out.addDocument(ctx, s, d.ObjectID); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// addDocument adds the reads of the realm of one document. The debugger lists only objects of the realm
// whose handle it gets, and the handle of a node is that of its own.
func (p *pageReads) addDocument(ctx context.Context, s cdp.Session, handle runtime.RemoteObjectID) error {
	node, err := cdp.Call(ctx, s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: handle})
	if err != nil {
		return fmt.Errorf("entering a realm of the page: %w", err)
	}
	own, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: node.Node.BackendNodeID, ObjectGroup: bodyGroup,
	})
	if err != nil {
		return fmt.Errorf("entering a realm of the page: %w", err)
	}
	yes := true
	list, err := cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: prototypesFunction, ObjectID: own.Object.ObjectID, ObjectGroup: bodyGroup, Silent: &yes,
	})
	if err != nil {
		return fmt.Errorf("listing the prototypes of the page: %w", err)
	}
	prototypes, err := elementsOf(ctx, s, list.Result.ObjectID, false)
	if err != nil {
		return err
	}
	if len(prototypes) != 2 || prototypes[0].ObjectID == "" || prototypes[1].ObjectID == "" {
		p.foreign = true // the page replaced them
		return nil
	}
	before := p.promises
	if err := p.countPromises(ctx, s, prototypes[0].ObjectID); err != nil || p.promises == before {
		return err
	}
	return p.findStreams(ctx, s, prototypes[1].ObjectID)
}

// countPromises adds the pending promises of one realm.
func (p *pageReads) countPromises(ctx context.Context, s cdp.Session, prototype runtime.RemoteObjectID) error {
	found, err := objectsOf(ctx, s, prototype)
	if err != nil {
		return err
	}
	list, err := elementsOf(ctx, s, found, true)
	if err != nil {
		return err
	}
	for _, promise := range list[:min(len(list), maxPromises)] {
		if promise.Preview == nil {
			continue
		}
		for _, property := range promise.Preview.Properties {
			if property.Name == "[[PromiseState]]" && property.Value == "pending" {
				p.promises++
			}
		}
	}
	return nil
}

// findStreams records whether a stream of one realm is being read.
func (p *pageReads) findStreams(ctx context.Context, s cdp.Session, prototype runtime.RemoteObjectID) error {
	found, err := objectsOf(ctx, s, prototype)
	if err != nil {
		return err
	}
	yes := true
	res, err := cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: isLockedFunction, ObjectID: found, ReturnByValue: &yes, Silent: &yes,
	})
	if err != nil {
		return fmt.Errorf("reading the state of streams: %w", err)
	}
	p.pieces = p.pieces || string(res.Result.Value) == "true"
	return nil
}

// objectsOf returns the list of the objects that inherit from a prototype.
func objectsOf(ctx context.Context, s cdp.Session, prototype runtime.RemoteObjectID) (runtime.RemoteObjectID, error) {
	res, err := cdp.Call(ctx, s, runtime.QueryObjects, runtime.QueryObjectsParams{
		PrototypeObjectID: prototype, ObjectGroup: bodyGroup,
	})
	if err != nil {
		return "", fmt.Errorf("listing objects of the page: %w", err)
	}
	return res.Objects.ObjectID, nil
}

// elementsOf returns the elements of a list of the page.
func elementsOf(ctx context.Context, s cdp.Session, list runtime.RemoteObjectID, preview bool) ([]*runtime.RemoteObject, error) {
	yes := true
	res, err := cdp.Call(ctx, s, runtime.GetProperties, runtime.GetPropertiesParams{
		ObjectID: list, OwnProperties: &yes, GeneratePreview: &preview,
	})
	if err != nil {
		return nil, fmt.Errorf("reading objects of the page: %w", err)
	}
	var out []*runtime.RemoteObject
	for _, property := range res.Result {
		if property.Name != "length" && property.Value != nil {
			out = append(out, property.Value)
		}
	}
	return out, nil
}
