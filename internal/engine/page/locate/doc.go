// Package locate finds the elements that words, selectors, labels and recorded identities mean, and
// describes what they are. It changes nothing in the page and must not send input.
package locate
