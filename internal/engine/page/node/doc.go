// Package node addresses elements and documents of a page for instruments that speak the protocol
// themselves: audits, styles, debuggers. It must not act on the page.
package node
