// Package track records what the events of a session say about one target: its navigations, the
// requests that a page waits for, and marks of its documents. It sends nothing to the browser and must
// not know the script that runs in the page.
package track
