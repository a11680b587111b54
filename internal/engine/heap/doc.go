// Package heap measures the JavaScript heap and the processor time of one tab: it takes heap
// snapshots, forces garbage collections, and records CPU profiles.
//
// What it covers is the isolate of the page: its document, frames of the same process and what they
// hold. Frames of other processes and workers have heaps of their own, which it only counts. Package
// snapshot reads the files. The package must not know tools, nor where files are stored.
package heap
