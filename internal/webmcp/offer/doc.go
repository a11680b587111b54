// Package offer says what a client is shown of the tools that a page offers: a handle and a name for each,
// its words between the tags of the fence, and a schema without words. It validates arguments.
//
// A page can say anything: names, texts and schemas are bounded here, and a tool that cannot be called safely has a reason. The
// package must not know sessions, browsers or protocols.
package offer
