// Package tasks drives a server through tasks on pages of packages from npm, twice: with one call a step, as an
// agent without steps has to, and with calls of several steps. It counts the calls and bytes of both.
//
// No task is done by script: script only judges the outcome. It has only tests; make tasks runs them with a server.
package tasks
