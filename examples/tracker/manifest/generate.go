// Package manifest declares the tools of the tracker. "go generate" compiles it into generated/.
package manifest

//go:generate go tool toolgen generate
