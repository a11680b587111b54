// Package external is the registry of other people's MCP servers: those that workflows call and clients never see.
//
// It reads servers.json (package servers), starts or dials a server when it is first needed, keeps what its tools are on
// disk, calls them, and contains whatever goes wrong: a server that hangs, dies, floods or lies costs only its own calls.
// Child processes end with the registry, with all their descendants, even when callsheet itself is killed.
//
// It must not know workflows, templates, callsheet's own tools, or who asked.
package external
