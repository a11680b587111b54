// Package manifest holds what the server offers, as data. It has no code but the directive that
// compiles the data into generated/.
package manifest

//go:generate go tool toolgen generate
