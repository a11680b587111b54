package enforce

import (
	"context"
	"errors"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Reviewer shows questions to a person who watches the server, beside the client's own person.
type Reviewer interface {
	// Watched reports whether a person watches now.
	Watched() bool
	// Show shows a question until withdraw is called. reply receives at most one answer; it is closed
	// when no person watches any more.
	Show(session, tool string, q toolkit.Question) (reply <-chan toolkit.Reply, withdraw func())
}

// SetReviewer sets the reviewer that is asked beside clients. It is called before the first call.
func (e *Enforcer) SetReviewer(r Reviewer) { e.reviewer = r }

// review is a question that a reviewer was shown. The nil pointer is one that no reviewer was shown.
type review struct {
	reply <-chan toolkit.Reply
	end   func()
}

// review shows a question to the person who watches; nil when no person does.
func (e *Enforcer) review(a asked, q toolkit.Question) *review {
	if e.reviewer == nil || !e.reviewer.Watched() {
		return nil
	}
	reply, withdraw := e.reviewer.Show(a.call.Session.ID, a.name, q)
	return &review{reply, withdraw}
}

// withdraw takes the question back.
func (r *review) withdraw() {
	if r != nil {
		r.end()
	}
}

// replies receives the answer of the reviewer; nil for a question that no reviewer was shown.
func (r *review) replies() <-chan toolkit.Reply {
	if r == nil {
		return nil
	}
	return r.reply
}

// take withdraws the question and returns an answer that has come.
func (r *review) take() (reply toolkit.Reply, ok bool) {
	r.withdraw()
	select {
	case reply, ok = <-r.replies():
	default:
	}
	return reply, ok
}

// The reasons why no person was asked.
var (
	errCannotAsk = errors.New("this client cannot ask the person behind it; whoever watches by `callsheet ui` is asked there")
	errAskLater  = errors.New("this client cannot ask the person behind it during a call; whoever watches by `callsheet ui` is asked there")
)

// askNow asks the client's person and the one who watches, without the deadline of the tool, and returns
// the first answer.
func (e *Enforcer) askNow(ctx context.Context, a asked, q toolkit.Question) (toolkit.Reply, error) {
	waiting, cancel := withFreshDeadline(ctx, askTimeout)
	defer cancel()
	shown := e.review(a, q)
	defer shown.withdraw()
	type answer struct {
		reply toolkit.Reply
		err   error
	}
	elicited := make(chan answer, 1)
	switch {
	case a.call.Elicits():
		go func() {
			reply, err := a.call.Elicit(waiting, q)
			elicited <- answer{reply, err}
		}()
	case a.call.ElicitsLater():
		elicited <- answer{err: errAskLater}
	default:
		elicited <- answer{err: errCannotAsk}
	}
	reviewed := shown.replies()
	failed := waiting.Err
	for {
		select {
		case reply, open := <-reviewed:
			if open {
				return reply, nil
			}
			if reviewed = nil; elicited == nil {
				return toolkit.Reply{}, failed()
			}
		case got := <-elicited:
			if got.err == nil || reviewed == nil {
				return got.reply, got.err
			}
			elicited, failed = nil, func() error { return got.err }
		case <-waiting.Done():
			return toolkit.Reply{}, context.Cause(waiting)
		}
	}
}
