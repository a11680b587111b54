// Package viewtest has the tests of the views that list things: surface, recordings, jobs and journal.
// One browser shows them all to a person, beside servers with real clients.
//
// It has no code of its own, and must not test what the views are computed from.
package viewtest
