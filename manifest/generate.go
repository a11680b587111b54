// Package manifest holds what Callsheet promises: the tools, capabilities, facts and scopes, as
// data that people edit.
//
// It contains no code besides the directive that compiles the data and, in a release, the data
// itself. It must know nothing of what the data becomes.
package manifest

//go:generate go tool toolgen generate
