// Package mcpserver speaks the Model Context Protocol for a toolkit.Surface: revisions with
// sessions (up to 2025-11-25) and stateless ones (2026-07-28), over standard input and output and
// over HTTP, through the official Go SDK.
//
// The SDK handles the protocol but not the payload. Lists are compiled text and results may hold
// megabytes, and the SDK would marshal and scan both several times. So its handlers return
// placeholders (see bodyStore), and the last writer before the wire puts the prepared bytes in
// their place.
//
// The package must not know any tool, flags or how a process is started: a third party
// serves its own generated registry with it.
package mcpserver
