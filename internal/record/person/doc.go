// Package person records what a person does in a tab, as the steps of a recording that a replay plays.
//
// A script in an isolated world of each frame hears trusted events before the page does, and describes the
// element of each as the page engine describes elements of calls. Input that another DevTools client
// dispatches is trusted too. The package makes steps of the events and hands them to a recording; it must
// not know how recordings are stored, and decides by no tool.
package person
