// Package debugger is a JavaScript debugger for one page: breakpoints, stepping, and call stack,
// scopes and source of a pause, in positions of the original files if a source map has them.
//
// While the page is paused no JavaScript runs in it, so the debugger blocks the tab with a
// [PausedError] and other calls fail instead of waiting. The package must not know tools, sessions
// or MCP, nor the life cycle of tabs and browsers: it works on a CDP session and the interface
// [Tab].
package debugger
