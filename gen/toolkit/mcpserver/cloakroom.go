package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// cloakroom keeps the bodies of results while their tickets, a few bytes each, go through the SDK in their place. The
// last writer before the wire redeems the ticket. Whatever is not redeemed goes when its request ends, so a broken
// connection leaves nothing behind.
type cloakroom struct {
	open []byte // how a ticket begins; random, so that nothing a client or page wrote is ever taken for one

	mu   sync.Mutex
	last uint64
	kept map[uint64]coat
}

type coat struct {
	body body
	keep func() bool // stops the watch on the request
}

// ticketKey names a ticket's only member.
const ticketKey = `{"ticket":"`

func newCloakroom() *cloakroom {
	return &cloakroom{open: []byte(ticketKey + rand.Text() + "-"), kept: make(map[uint64]coat)}
}

// leave keeps b until its ticket is redeemed or ctx, the request's, ends.
func (c *cloakroom) leave(ctx context.Context, b body) mcp.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	n := c.last
	c.kept[n] = coat{body: b, keep: context.AfterFunc(ctx, func() { c.drop(n) })}
	return &ticket{text: append(strconv.AppendUint(bytes.Clone(c.open), n, 10), `"}`...)}
}

func (c *cloakroom) drop(n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, n)
}

// redeem exchanges the ticket that p begins with. size is its length.
func (c *cloakroom) redeem(p []byte) (b body, size int, ok bool) {
	rest, ok := bytes.CutPrefix(p, c.open)
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
	found, ok := c.kept[n]
	if !ok {
		return nil, 0, false
	}
	found.keep()
	delete(c.kept, n)
	return found.body, len(c.open) + digits + len(`"}`), true
}

// ticket stands for a body as a result inside the SDK.
type ticket struct {
	mcp.ResultBase
	text []byte
}

// GetMeta claims the server's identity is there already, as it is in the body: the SDK would add it to the ticket.
func (*ticket) GetMeta() map[string]any { return map[string]any{mcp.MetaKeyServerInfo: true} }

// SetMeta has nothing to set.
func (*ticket) SetMeta(map[string]any) {}

// MarshalJSON gives the ticket's text.
func (t *ticket) MarshalJSON() ([]byte, error) { return t.text, nil }
