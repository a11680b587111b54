// Package webmcp implements the tools of area webmcp: tools that pages offer themselves.
//
// It finds the tool of a page, holds arguments and the operator's lock against it, and renders what the page answers as page
// content. It must not know how pages register tools, nor how a lock is kept.
package webmcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/webmcpapi"
	engine "github.com/callsheet/callsheet/internal/engine/webmcp"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/webmcp/offer"
)

// Lock compares tools with their words and schemas that the operator has seen.
type Lock interface {
	// Judge returns the changes that break callers of the tool, in words of the page, and whether the tool is
	// new for its origin.
	Judge(t engine.Tool) (changes []string, isNew bool, err error)
	// Accept notes a new tool, as the operator's policy or a person has allowed a call of it.
	Accept(ctx context.Context, t engine.Tool) error
}

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	lock     Lock // nil: none is kept
}

// New makes the handlers.
func New(sessions session.Lookup, lock Lock) *Tools { return &Tools{sessions: sessions, lock: lock} }

var _ webmcpapi.Handlers = (*Tools)(nil)

// PageTool lists the tools of a page, or calls one.
func (t *Tools) PageTool(ctx context.Context, call *toolkit.Call, in webmcpapi.PageToolParams, powers webmcpapi.PageToolPowers) (toolkit.Result, error) {
	set := t.sessions.Set(call)
	_, tab, err := set.Tab(ctx, in.TabID.Value)
	if err != nil {
		return toolkit.Result{}, err
	}
	tools, omitted, err := set.PageOffers().Tools(ctx, tab)
	if err != nil {
		return toolkit.Result{}, err
	}
	if in.Action == webmcpapi.PageToolActionList {
		return toolkit.Text(renderList(tab, tools, omitted)), nil
	}
	tool, err := t.callable(ctx, tools, in)
	if err != nil {
		return toolkit.Result{}, err
	}
	args := []byte(in.Arguments)
	if len(args) == 0 {
		args = []byte("{}")
	}
	if err := tool.Validate(args); err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments,
			"the page's schema of the tool does not take these arguments: "+err.Error())
	}
	limit := time.Duration(in.Timeout) * time.Millisecond
	running, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := set.PageOffers().Client(tab).Invoke(running, powers.Webmcp(), tool.Tool, args)
	switch {
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return toolkit.Result{}, toolkit.Refuse(toolkit.Timeout, fmt.Sprintf(
			"the page has not answered within %v, and was told that the call is cancelled; it may have had part of its effect", limit),
			toolkit.Field{Name: "ms", Value: in.Timeout})
	case err != nil:
		return toolkit.Result{}, err
	}
	return toolkit.Text(renderResult(tool, out)), nil
}

// callable finds the tool of a handle, if it may be called.
func (t *Tools) callable(ctx context.Context, tools []offer.Tool, in webmcpapi.PageToolParams) (offer.Tool, error) {
	tool, ok := offer.Find(tools, in.Handle.Value)
	if !ok {
		return tool, offer.GoneRefusal(tools)
	}
	if tool.Problem != "" {
		return tool, toolkit.Refuse(codes.PageToolUnusable, "the tool of the page cannot be called: "+tool.Problem,
			toolkit.Field{Name: "reason", Value: tool.Problem})
	}
	if t.lock == nil {
		return tool, nil
	}
	changes, isNew, err := t.lock.Judge(tool.Tool)
	switch {
	case err != nil:
		return tool, err
	case len(changes) > 0:
		return tool, toolkit.Refuse(codes.PageToolChanged, "the page has changed the tool since the operator allowed it:\n"+
			result.Quote(joinLines(changes))+"\nonly the operator can allow the change, with callsheet webmcp lock",
			toolkit.Field{Name: "origin", Value: tool.Origin}, toolkit.Field{Name: "changes", Value: changes})
	case isNew:
		return tool, t.lock.Accept(ctx, tool.Tool)
	}
	return tool, nil
}
