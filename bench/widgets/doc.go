// Package widgets solves small tasks on pages of component libraries through an MCP server, and writes a table of how
// many calls and bytes each took.
//
// The pages load libraries that other people wrote, pinned in package.json; "make widgets" fetches them and runs the tests
// with a server. The package must not know how a server works: it speaks MCP over stdio, with one adapter for each server
// that it can drive.
package widgets
