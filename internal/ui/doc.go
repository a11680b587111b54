// Package ui serves the pages that a person watches agents with: static files, and an interface of
// JSON and server-sent events behind them, all below Path.
//
// A Server knows who may use it: the guard, tickets, cookies and keys are here. What it shows comes
// from views, functions that register requests and get everything else through small interfaces. The
// package must not know tools, the protocol's SDK, flags, or where it is mounted.
package ui
