// Package external is the client of other MCP servers: those that workflows call and that clients
// of Callsheet never see.
//
// It reads servers.json (package config), starts or dials a server on first use, caches its tools
// on disk and calls them. A server that hangs, exits, floods its output or breaks the protocol
// affects only its own calls. Child processes end with the registry, including all their
// descendants, even if this process is killed.
//
// It must not know workflows, templates, Callsheet's own tools, or the caller.
package external
