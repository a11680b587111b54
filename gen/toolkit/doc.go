// Package toolkit is the run-time library of every generated registry, ours or a third party's:
// facts, tool sets, surfaces, sessions, argument decoding, refusals and dispatch.
//
// A registry (generated) plus a surface (command line) plus a session (one client) decide what
// tools/list shows and what tools/call does. The package knows neither a protocol library
// (mcpserver adapts it) nor what the tools are about nor the compiler, so that another server can use it with its
// own manifest.
package toolkit
