// Package webmcpjs emits a script with which the owner of a site offers the site's tools to agents
// from the page itself (WebMCP): each tool is registered while its condition holds, runs its steps
// in the page by the same roles, names and labels, and returns its output.
//
// A call ends with the document that it was made in, and a page's script has neither secrets nor
// the browser's own input. Tools that need any of these are reported with the reason and left out.
// The package must not know browsers, sessions, or how this server runs a tool.
package webmcpjs
