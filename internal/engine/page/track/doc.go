// Package track records the state of one target from the events of its session: its navigations, the
// requests that a page waits for, and marks of its documents. It sends nothing to the browser and must
// not know the script that runs in the page.
package track
