// Package fetch sends requests of the origin of a document, as the document itself would. It must not
// know pages or elements, and repeats no request.
package fetch
