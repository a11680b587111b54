// Package webmcp is the client of the tools that pages register (WebMCP): which tools the documents of a
// tab offer, and calls of them that time out, end with the document and can be cancelled in the page.
//
// It speaks the domain WebMCP of the DevTools protocol. Everything that a page says passes through it as
// the page wrote it: callers bound it, validate it and mark it as page content. The package must not know
// MCP servers, lists of tools, locks or policies.
package webmcp
