// Package questions asks two MCP servers the same questions about the same pages, those of a developer: why an element is
// red, what a page logged, what a request was. It prints a Markdown table of the calls, bytes and time of each answer, and
// of which facts it had.
//
// It has only tests; make questions runs them with servers, over stdio. It knows the tools of both by name, and must not
// know how either finds its answers.
package questions
