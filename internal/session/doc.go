// Package session manages the state of one client: its browser connections, their tabs and the
// facts that decide which tools it sees. A connection is the server's own browser, which starts on
// demand, a browser launched on request, or a running browser to attach to. One connection is
// active.
//
// It derives the facts of a connection from the state of its browser. It stands on engine and
// storage, and of the generated code it uses the facts only. It must not know MCP or tool handlers,
// nor render results.
package session
