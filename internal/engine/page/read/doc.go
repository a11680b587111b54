// Package read reads a page: as an outline with refs, as Markdown, as the difference to an earlier
// reading, as data, and as short reports. It changes nothing in the page and must not send input.
package read
