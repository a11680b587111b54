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

// maxTimeoutFactor is how many times its timeout a call may last when the server keeps reporting progress.
const maxTimeoutFactor = 10

// errTooLarge is an answer beyond the server's maxResultBytes.
var errTooLarge = errors.New("the answer is larger than maxResultBytes")

// codeNotDelivered is what the SDK gives to a message that its HTTP transport could not deliver.
const codeNotDelivered = -32005

// callKey finds the call in the context of its HTTP request.
type callKey struct{}

func (s *server) call(ctx context.Context, tool string, args json.RawMessage, progress Progress) (Result, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	} else if !json.Valid(args) || bytes.TrimSpace(args)[0] != '{' {
		return Result{}, &Error{Alias: s.entry.Alias, Tool: tool, Reason: Rejected, Err: errors.New("the arguments are not a JSON object")}
	}
	if s.slots != nil {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return Result{}, s.newError(tool, fmt.Errorf("wait for its turn: %w", ctx.Err()))
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

// checkTool refuses a tool that the server does not have or the entry or the lock file does not allow.
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
		reason = "the server's entry does not allow this tool"
	}
	return &Error{Alias: s.entry.Alias, Tool: tool, Reason: UnknownTool, Err: errors.New(reason + didYouMean(toolkit.Nearest(tool, c.Names())))}
}

// call sends the call and waits for its answer, its deadline or the end of the connection.
func (c *connection) call(ctx context.Context, tool string, args json.RawMessage, progress Progress) (Result, error) {
	timeout := c.server.entry.Timeout
	silent := fmt.Errorf("nothing was heard of it for %v (timeoutMs)", timeout)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(timeout, func() { cancel(silent) })
	defer timer.Stop()
	total := time.AfterFunc(maxTimeoutFactor*timeout, func() {
		cancel(fmt.Errorf("it has reported progress for %v, %d times its timeout", maxTimeoutFactor*timeout, maxTimeoutFactor))
	})
	defer total.Stop()
	stop := context.AfterFunc(c.server.reg.ctx, func() { cancel(c.server.reg.ctx.Err()) })
	defer stop()

	token := c.register(&pendingCall{resetTimeout: func() { timer.Reset(timeout) }, progress: progress})
	defer c.unregister(token)
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken(token)
	res, err := c.session.CallTool(context.WithValue(ctx, callKey{}, cancel), params)
	if err == nil && res.InputRequests != nil {
		return Result{}, &Error{Alias: c.server.entry.Alias, Tool: tool, Reason: Input,
			Err: errors.New("the server asks for input (sampling, roots or elicitation) before it answers, which is not offered to external servers")}
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

// callError says what a call that got no answer died of.
func (c *connection) callError(ctx context.Context, tool string, err error) error {
	e := &Error{Alias: c.server.entry.Alias, Tool: tool, Reason: Died}
	cause := context.Cause(ctx)
	wire, answered := errors.AsType[*jsonrpc.Error](err)
	switch {
	case errors.Is(cause, errTooLarge) || answered && wire.Code == codeTooLarge || errors.Is(err, errTooLarge) || c.sawTooLarge != nil && c.sawTooLarge.Load():
		e.Reason, err = TooLarge, fmt.Errorf("%w of %d bytes", errTooLarge, c.server.entry.MaxResult)
		if c.server.entry.Transport != config.Stdio {
			c.waitClosed() // over HTTP it may be the end of the session, and the next call must know
		}
	case c.server.reg.ctx.Err() != nil:
		e.Reason, err = Closed, errors.New("the registry is closed")
	case errors.Is(cause, context.Canceled):
		e.Reason, err = Canceled, cause
	case errors.Is(cause, context.DeadlineExceeded):
		e.Reason, err = Timeout, errors.New("the caller's deadline passed")
	case cause != nil:
		e.Reason, err = Timeout, c.withStderr(context.Background(), cause)
	case ReasonOf(err) != "": // of our own making, as a login that is wanted
		known, _ := errors.AsType[*Error](err)
		e.Reason, err = known.Reason, known.Err
	case answered && wire.Code == codeNotDelivered:
		e.Reason, err = Unavailable, fmt.Errorf("the call was not taken: %w", err)
	case answered:
		e.Reason, err = Rejected, fmt.Errorf("the server answered with error %d: %s", wire.Code, wire.Message)
	case c.waitClosed():
		err = fmt.Errorf("the connection ended during the call: %w", c.withStderr(context.Background(), c.closeErr))
	default:
		err = fmt.Errorf("the call failed: %w", c.withStderr(context.Background(), err))
	}
	e.Err = c.server.redactor().redactError(err)
	return e
}

// cleanupTimeout is how long after a failed call the news of the connection's end may take.
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

// waitTransportEnd reports whether the transport has come to its end.
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

// convertResult takes a result out of the SDK's types.
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
			out.Content = append(out.Content, Content{Type: TypeResourceLink, URI: v.URI, Name: v.Name, MIME: v.MIMEType, Text: v.Description})
		case *mcp.EmbeddedResource:
			if v.Resource == nil {
				return Result{}, errors.New("the server sent an embedded resource without a resource")
			}
			out.Content = append(out.Content, Content{Type: TypeResource, URI: v.Resource.URI, MIME: v.Resource.MIMEType, Text: v.Resource.Text, Data: v.Resource.Blob})
		default:
			return Result{}, fmt.Errorf("the server sent content of an unknown kind (%T)", item)
		}
	}
	return out, nil
}
