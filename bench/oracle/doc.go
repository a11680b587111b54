// Package oracle compares the readings of a server with Chromium's accessibility tree, on pages of libraries from
// npm. It lists each visible control that one side has and the other has not, or that they give another role or
// name, by cause. Deliberate differences are a table with reasons (deliberate_test.go).
//
// It drives the server over MCP and reads the tree over DevTools from the same browser. It must not know how the
// server makes a reading. It has only tests; make oracle runs them with a server.
package oracle
