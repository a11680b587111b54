package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bodyStore keeps the bodies of results while placeholders of a few bytes go through the SDK in
// their place. The last writer before the wire takes the body of a placeholder. A body that is not
// taken is dropped when its request ends, so a broken connection leaks none.
type bodyStore struct {
	prefix []byte // of every placeholder; random, so that no text of a client or a page equals one

	mu     sync.Mutex
	last   uint64
	bodies map[uint64]storedBody
}

type storedBody struct {
	body      body
	stopWatch func() bool // ends the watch on the request
}

// placeholderKey names a placeholder's only member.
const placeholderKey = `{"ticket":"`

func newBodyStore() *bodyStore {
	return &bodyStore{prefix: []byte(placeholderKey + rand.Text() + "-"), bodies: make(map[uint64]storedBody)}
}

// put stores b until it is taken or ctx, the context of the request, ends. It returns the
// placeholder.
func (c *bodyStore) put(ctx context.Context, b body) mcp.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	n := c.last
	c.bodies[n] = storedBody{body: b, stopWatch: context.AfterFunc(ctx, func() { c.drop(n) })}
	return &placeholder{text: append(strconv.AppendUint(bytes.Clone(c.prefix), n, 10), `"}`...)}
}

func (c *bodyStore) drop(n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.bodies, n)
}

// take returns the body of the placeholder that p begins with; size is the length of the
// placeholder.
func (c *bodyStore) take(p []byte) (b body, size int, ok bool) {
	rest, ok := bytes.CutPrefix(p, c.prefix)
	if !ok {
		return nil, 0, false
	}
	digits := bytes.IndexByte(rest, '"')
	if digits < 0 || digits+1 >= len(rest) || rest[digits+1] != '}' {
		return nil, 0, false
	}
	n, err := strconv.ParseUint(string(rest[:digits]), 10, 64)
	if err != nil {
		return nil, 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.bodies[n]
	if !ok {
		return nil, 0, false
	}
	found.stopWatch()
	delete(c.bodies, n)
	return found.body, len(c.prefix) + digits + len(`"}`), true
}

// placeholder is the result that the SDK sees in place of a body.
type placeholder struct {
	mcp.ResultBase
	text []byte
}

// GetMeta reports the server's identity as present, because the body has it and the SDK would add
// it to the placeholder.
func (*placeholder) GetMeta() map[string]any { return map[string]any{mcp.MetaKeyServerInfo: true} }

// SetMeta has nothing to set.
func (*placeholder) SetMeta(map[string]any) {}

// MarshalJSON returns the placeholder's text.
func (t *placeholder) MarshalJSON() ([]byte, error) { return t.text, nil }
