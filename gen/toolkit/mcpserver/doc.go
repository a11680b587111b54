// Package mcpserver speaks the Model Context Protocol for a toolkit.Surface: revisions with sessions (up to 2025-11-25)
// and stateless ones (2026-07-28), over standard input and output and over HTTP, through the official Go SDK.
//
// The SDK does the protocol; the payload travels beside it. Lists are compiled text and results may hold megabytes, and
// the SDK would marshal and scan both several times; instead its handlers answer with tickets (see cloakroom) that the
// last writer before the wire exchanges for the prepared bytes.
//
// The package must not know any tool, browsers, flags or how a process is started: a third party serves its own
// generated registry with it.
package mcpserver
