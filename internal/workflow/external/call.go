package external

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow/external/config"
)

// maxTimeoutFactor bounds a call that reports progress: its total time in multiples of the timeout.
const maxTimeoutFactor = 10

// errTooLarge is the error of a response that exceeds the server's maxResultBytes.
var errTooLarge = errors.New("the response exceeds maxResultBytes")

// codeNotDelivered is the SDK's code for a message that its HTTP transport could not deliver.
const codeNotDelivered = -32005

// callKey is the context key of the cancel function of a call, for its HTTP request.
type callKey struct{}

func (s *server) call(ctx context.Context, tool string, args json.RawMessage, progress Progress) (Result, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	} else if !json.Valid(args) || bytes.TrimSpace(args)[0] != '{' {
		return Result{}, &Error{Alias: s.entry.Alias, Tool: tool, Reason: Rejected,
			Err: errors.New("the arguments are not a JSON object")}
	}
	if s.slots != nil {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return Result{}, s.newError(tool, fmt.Errorf("wait for a free slot: %w", ctx.Err()))
		case <-s.reg.ctx.Done():
			return Result{}, s.newError(tool, s.reg.ctx.Err())
		}
	}
	conn, err := s.acquire(ctx)
	defer s.release()
	if err != nil {
		return Result{}, s.newError(tool, err)
	}
	if err := s.checkTool(tool); err != nil {
		return Result{}, err
	}
	return conn.call(ctx, tool, args, progress)
}

// checkTool returns an error for a tool that the server does not have, or that servers.json or the
// lock file does not allow.
func (s *server) checkTool(tool string) error {
	c, _ := s.knownCatalog()
	if err := s.checkLock(); err != nil {
		return s.newError(tool, err)
	}
	if _, ok := c.Tool(tool); ok {
		return nil
	}
	reason := "no such tool"
	if !s.entry.Allows(tool) {
		reason = "servers.json does not allow this tool"
	}
	return &Error{Alias: s.entry.Alias, Tool: tool, Reason: UnknownTool,
		Err: errors.New(reason + didYouMean(toolkit.Nearest(tool, c.Names())))}
}

// call sends the call and waits for its result, its deadline or the end of the connection.
func (c *connection) call(ctx context.Context, tool string, args json.RawMessage, progress Progress) (Result, error) {
	timeout := c.server.entry.Timeout
	timeoutErr := fmt.Errorf("no response or progress for %v (timeoutMs)", timeout)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(timeout, func() { cancel(timeoutErr) })
	defer timer.Stop()
	total := time.AfterFunc(maxTimeoutFactor*timeout, func() {
		cancel(fmt.Errorf("still in progress after %v, %d times its timeout", maxTimeoutFactor*timeout,
			maxTimeoutFactor))
	})
	defer total.Stop()
	stop := context.AfterFunc(c.server.reg.ctx, func() { cancel(c.server.reg.ctx.Err()) })
	defer stop()

	pending := &pendingCall{ctx: ctx, ask: askerOf(ctx), resetTimeout: func() { timer.Reset(timeout) }, progress: progress}
	token := c.register(pending)
	defer c.unregister(token)
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken(token)
	res, err := c.session.CallTool(context.WithValue(ctx, callKey{}, cancel), params)
	for rounds := 0; err == nil && res.InputRequests != nil; rounds++ {
		if !onlyQuestions(res.InputRequests) || rounds == maxQuestionRounds {
			return Result{}, &Error{Alias: c.server.entry.Alias, Tool: tool, Reason: Input,
				Err: errors.New("the server requests input (sampling, roots or too many questions), which external servers cannot use")}
		}
		params.InputResponses, params.RequestState = c.answerAll(ctx, pending, res.InputRequests), res.RequestState
		res, err = c.session.CallTool(context.WithValue(ctx, callKey{}, cancel), params)
	}
	if err != nil {
		return Result{}, c.callError(ctx, tool, err)
	}
	out, err := convertResult(res)
	if err != nil {
		return Result{}, &Error{Alias: c.server.entry.Alias, Tool: tool, Reason: Rejected, Err: err}
	}
	return out, nil
}

// callError returns the error of a call without a result.
func (c *connection) callError(ctx context.Context, tool string, err error) error {
	e := &Error{Alias: c.server.entry.Alias, Tool: tool, Reason: Died}
	cause := context.Cause(ctx)
	wireErr, isWireErr := errors.AsType[*jsonrpc.Error](err)
	switch {
	case errors.Is(cause, errTooLarge) || isWireErr && wireErr.Code == codeTooLarge || errors.Is(err, errTooLarge) ||
		c.sawTooLarge != nil && c.sawTooLarge.Load():
		e.Reason, err = TooLarge, fmt.Errorf("%w of %d bytes", errTooLarge, c.server.entry.MaxResult)
		if c.server.entry.Transport != config.Stdio {
			c.waitClosed() // over HTTP the session may have ended with it
		}
	case c.server.reg.ctx.Err() != nil:
		e.Reason, err = Closed, errors.New("the registry is closed")
	case errors.Is(cause, context.Canceled):
		e.Reason, err = Canceled, cause
	case errors.Is(cause, context.DeadlineExceeded):
		e.Reason, err = Timeout, errors.New("the caller's deadline passed")
	case cause != nil:
		e.Reason, err = Timeout, c.withStderr(context.Background(), cause)
	case ReasonOf(err) != "": // this package's own error, such as LoginRequired
		known, _ := errors.AsType[*Error](err)
		e.Reason, err = known.Reason, known.Err
	case isWireErr && wireErr.Code == codeNotDelivered:
		e.Reason, err = Unavailable, fmt.Errorf("the call could not be delivered: %w", err)
	case isWireErr:
		e.Reason, err = Rejected, fmt.Errorf("the server responded with error %d: %s", wireErr.Code, wireErr.Message)
	case c.waitClosed():
		err = fmt.Errorf("the connection ended during the call: %w", c.withStderr(context.Background(), c.closeErr))
	default:
		err = fmt.Errorf("the call failed: %w", c.withStderr(context.Background(), err))
	}
	e.Err = c.server.redactor().redactError(err)
	return e
}

// endNoticeTime bounds the wait for the end of the connection after a failed call.
const endNoticeTime = 500 * time.Millisecond

func (c *connection) waitClosed() bool {
	if !c.waitTransportEnd() {
		return false
	}
	select {
	case <-c.done:
		return true
	case <-time.After(closeTimeout + endNoticeTime):
		return false
	}
}

// waitTransportEnd reports whether the session ends within endNoticeTime.
func (c *connection) waitTransportEnd() bool {
	gone := make(chan struct{})
	c.server.reg.tasks.Go(func() {
		_ = c.session.Wait()
		close(gone)
	})
	select {
	case <-gone:
		return true
	case <-time.After(endNoticeTime):
		return false
	}
}

func (c *connection) register(call *pendingCall) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastToken++
	token := "c" + strconv.Itoa(c.lastToken)
	if c.calls == nil {
		c.calls = map[string]*pendingCall{}
	}
	c.calls[token] = call
	return token
}

func (c *connection) unregister(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, token)
}

// convertResult converts a result of the SDK.
func convertResult(res *mcp.CallToolResult) (Result, error) {
	out := Result{IsError: res.IsError}
	if res.StructuredContent != nil {
		data, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return Result{}, fmt.Errorf("encode the structured content: %w", err)
		}
		out.Structured = data
	}
	for _, item := range res.Content {
		switch v := item.(type) {
		case *mcp.TextContent:
			out.Content = append(out.Content, Content{Type: TypeText, Text: v.Text})
		case *mcp.ImageContent:
			out.Content = append(out.Content, Content{Type: TypeImage, Data: v.Data, MIME: v.MIMEType})
		case *mcp.AudioContent:
			out.Content = append(out.Content, Content{Type: TypeAudio, Data: v.Data, MIME: v.MIMEType})
		case *mcp.ResourceLink:
			out.Content = append(out.Content,
				Content{Type: TypeResourceLink, URI: v.URI, Name: v.Name, MIME: v.MIMEType, Text: v.Description})
		case *mcp.EmbeddedResource:
			if v.Resource == nil {
				return Result{}, errors.New("the server sent an embedded resource without a resource")
			}
			out.Content = append(out.Content,
				Content{Type: TypeResource, URI: v.Resource.URI, MIME: v.Resource.MIMEType, Text: v.Resource.Text,
					Data: v.Resource.Blob})
		default:
			return Result{}, fmt.Errorf("the server sent content of an unknown kind (%T)", item)
		}
	}
	return out, nil
}
