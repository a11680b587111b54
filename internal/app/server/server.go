// Package server has Callsheet's own additions to the protocol adapter: what it tells models about
// itself, its artifacts as resources, and which stateless callers share a session.
//
// It must not know the protocol (gen/toolkit/mcpserver does), how it is served over HTTP
// (gen/toolkit/httpserver does), browsers, or how flags are written.
package server

// DefaultAddress is the default address of the HTTP server.
const DefaultAddress = "127.0.0.1:9876"
