package mcpserver

import (
	"context"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// rootsTimeout bounds the wait for the roots of a client.
const rootsTimeout = 5 * time.Second

// clientRoots are the directories that a client declares with roots/list. They are asked for at
// first use, and again after the client says that they changed.
type clientRoots struct {
	mu    sync.Mutex
	known bool
	dirs  []string
}

// addRoots fills in how a call learns the directories of its client. Only a client with a session
// over lines has any: its program started the server, and its files are those of the server's
// machine.
func (s *Server) addRoots(in inbound, c *client, r *toolkit.Request) {
	if c == nil || in.caps == nil || in.caps.RootsV2 == nil {
		return
	}
	if c.local {
		r.Roots = func(ctx context.Context) []string { return c.roots.list(ctx, in.session) }
	}
}

// list returns the directories. It asks again after an error.
func (c *clientRoots) list(ctx context.Context, ss *mcp.ServerSession) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		return c.dirs
	}
	ctx, cancel := context.WithTimeout(ctx, rootsTimeout)
	defer cancel()
	res, err := ss.ListRoots(ctx, nil)
	if err != nil {
		return nil
	}
	c.dirs, c.known = nil, true
	for _, r := range res.Roots {
		if dir, ok := directoryOf(r.URI); ok {
			c.dirs = append(c.dirs, dir)
		}
	}
	return c.dirs
}

// forget makes the next call ask again.
func (c *clientRoots) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = false
}

// directoryOf returns the path of a file URI without a host.
func directoryOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	path := filepath.FromSlash(u.Path)
	if filepath.Separator == '\\' { // file:///C:/files has the path /C:/files
		path = path[min(1, len(path)):]
	}
	return path, filepath.IsAbs(path)
}
