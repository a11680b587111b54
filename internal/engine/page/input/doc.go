// Package input sends real input to a page: of a mouse, a keyboard, a file chooser, and of a person who
// works along. It waits until an element can take the input, keeps the input out of other elements and
// documents, and detects input that the browser did not deliver. It must not know what kinds of fields
// there are: package widget does.
package input
