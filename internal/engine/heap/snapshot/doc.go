// Package snapshot reads heap snapshots in the format of V8 (.heapsnapshot), and finds in them what
// keeps objects alive and what has grown since another snapshot.
//
// A snapshot is read as a stream into typed arrays: 17 bytes for a node, 8 for an edge. Strings stay
// in the file. Two snapshots are compared one after the other: of the earlier one only a [Census] is
// kept. Files are untrusted input, so none may cause a panic or memory use out of proportion to its
// length. The package must not know browsers, tools, nor where files are stored.
package snapshot
