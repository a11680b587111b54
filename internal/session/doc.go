// Package session keeps the browsers that one client works with: the server's own, which starts when it is needed,
// those launched on request, and those that ran before and were attached to. One of them is active.
//
// It derives the facts of each connection from what its browser reports, so that what a client may do follows what is,
// however that came about. It must not know MCP or tools, nor what is inside a page.
package session
