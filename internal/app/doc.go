// Package app is the composition root: New turns a Config into a server's tools with everything
// behind them, and connects the protocol to it. The program and the tests use the same New, so
// tests run the wiring that ships.
//
// It is the one package of internal that imports tools. It must not know flags, or what a tool
// does.
package app
