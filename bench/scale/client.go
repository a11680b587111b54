package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errRefused marks a result with isError.
var errRefused = errors.New("refused")

// callTimeout bounds one call. A call that takes longer counts as an error.
const callTimeout = 5 * time.Minute

// client is one session and what its calls cost.
type client struct {
	session *mcp.ClientSession
	adapter adapter
	path    string // of its page
	ref     string // of the button
	clicks  int    // that succeeded

	opened time.Duration   // of the connection and the navigation
	took   []time.Duration // of each call of the loop
	errs   []error
}

// connect opens a session.
func connect(ctx context.Context, endpoint string, a adapter, number int) (*client, error) {
	transport := &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: httpClient}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "scale", Version: "1"}, nil).
		Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return nil, err
	}
	return &client{session: session, adapter: a, path: fmt.Sprintf("/session-%d-", number)}, nil
}

// httpClient keeps a connection for each session, so that connecting is no part of a call.
var httpClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}

// open loads the session's page and finds the button.
func (c *client) open(ctx context.Context, site string) {
	began := time.Now()
	_, err := c.call(ctx, c.adapter.navigate, map[string]any{"url": site + c.path})
	c.opened = time.Since(began)
	if err != nil {
		c.fail(err)
		return
	}
	text, err := c.call(ctx, c.adapter.read, nil)
	if err != nil {
		c.fail(err)
		return
	}
	found := c.adapter.ref.FindStringSubmatch(text)
	if found == nil {
		c.fail(fmt.Errorf("no ref of the button in %.300q", text))
		return
	}
	c.ref = found[1]
}

func (c *client) fail(err error) { c.errs = append(c.errs, fmt.Errorf("session %s: %w", c.path, err)) }

// loop reads, clicks and reads again until the deadline or after the given number of rounds. Before
// each call it pauses for think on average, as an agent does.
func (c *client) loop(ctx context.Context, deadline time.Time, o options) {
	if c.ref == "" {
		return // the page did not load
	}
	for n := 0; time.Now().Before(deadline) && ctx.Err() == nil && (o.rounds == 0 || n < o.rounds); n++ {
		pause(ctx, o.think)
		c.read(ctx)
		pause(ctx, o.think)
		args := map[string]any{c.adapter.clickArg: c.ref}
		for name, value := range c.adapter.more {
			args[name] = value
		}
		if _, err := c.timed(ctx, c.adapter.click, args); err == nil {
			c.clicks++
		}
		pause(ctx, o.think)
		c.read(ctx)
	}
}

// pause waits for a random time up to twice the mean.
func pause(ctx context.Context, mean time.Duration) {
	if mean <= 0 {
		return
	}
	select {
	case <-time.After(rand.N(2 * mean)):
	case <-ctx.Done():
	}
}

func (c *client) read(ctx context.Context) {
	if text, err := c.timed(ctx, c.adapter.read, nil); err == nil {
		c.check(text)
	}
}

// check counts a reading of another page, or of an earlier state, as an error.
func (c *client) check(reading string) {
	for _, want := range []string{"Page " + c.path, fmt.Sprintf("pressed %d times", c.clicks)} {
		if !strings.Contains(reading, want) {
			c.fail(fmt.Errorf("the reading lacks %q: %.300q", want, reading))
		}
	}
}

// timed is call with its time and its error kept.
func (c *client) timed(ctx context.Context, tool string, args map[string]any) (string, error) {
	began := time.Now()
	text, err := c.call(ctx, tool, args)
	c.took = append(c.took, time.Since(began))
	if err != nil {
		c.fail(err)
	}
	return text, err
}

// call calls a tool and returns its text. The error of a result with isError is errRefused.
func (c *client) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if args == nil {
		args = map[string]any{}
	}
	res, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool, err)
	}
	var b strings.Builder
	for _, content := range res.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	if res.IsError {
		return b.String(), fmt.Errorf("%s: %w: %.300s", tool, errRefused, b.String())
	}
	return b.String(), nil
}
