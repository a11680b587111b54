// Package performance measures how fast a page is: what its own timers and the browser's counters say, and what a trace of
// the browser shows.
//
// Traces are read from a stored file, without a browser. The package must not know tools, nor where traces are kept.
package performance
