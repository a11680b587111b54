// Package locate resolves words, selectors, labels and recorded identities to elements, and describes elements by
// role, name and state. It changes nothing in the page and must not send input.
package locate
