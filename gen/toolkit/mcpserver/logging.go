package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// addLog fills in how a handler sends log messages. A client with a session chooses their level with
// logging/setLevel, and a stateless one with each request; before that it is sent none. After the
// request has ended nothing is sent.
func (s *Server) addLog(ctx context.Context, in inbound, r *toolkit.Request) {
	if !s.surface.Registry().Logs {
		return
	}
	r.Log = func(level toolkit.LogLevel, data any) {
		if ctx.Err() != nil {
			return
		}
		_ = in.session.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(level), Logger: s.opt.Name, Data: data}) // a client that has gone misses nothing
	}
}
