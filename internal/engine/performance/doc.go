// Package performance measures pages: it reads Web Vitals and the browser's counters, records
// traces, and derives insights from a trace.
//
// It reads traces from a stored file, without a browser. The package must not know tools, nor where
// traces are stored.
package performance
