// Package debugger is a JavaScript debugger for one page: breakpoints, stepping, and
// what there is to see while the page is paused, in positions of the original files
// where a source map leads to them.
//
// It must not know tools, sessions or MCP, nor how tabs and browsers come and go: it
// works on a protocol session and a tab that it can hear and block. While the page is
// paused no JavaScript runs in it, so the tab is blocked with a [PausedError], and
// whatever works on the page is refused instead of waiting for ever.
package debugger
