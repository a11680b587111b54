// Package control lets a person take over the session of an agent: calls that act wait, the person's mouse
// and keyboard reach the page, and the agent's next result says what was changed meanwhile. A person can
// also mark an element for the agent without taking over.
//
// It must not know how the person's input arrives: internal/ui has the page and its addresses. What holds
// the calls of the agent is in engine/browser.
package control
