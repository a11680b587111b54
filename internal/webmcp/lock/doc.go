// Package lock remembers which tools the pages of an origin offered when a person allowed them, and judges
// what the pages offer now: unchanged, seen for the first time, a change that no caller notices, or a change
// that breaks one.
//
// The rules about schemas are those of gen/toolkit/compat, which also judge the lists of servers. Callers are
// shown the tools that a person allowed: until a change is accepted, Judgement.Offer is the tool of the file, so
// that a page cannot put other words in its place. The package must not know browsers, sessions, protocols or
// policies: it decides about texts and keeps a file.
package lock
