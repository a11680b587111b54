// Package crawl reads whole sites: the frontier of addresses in the database of jobs, and the hands that drain it.
//
// An address is claimed with a lease, read, and acknowledged together with the links found on it, its result and its place
// in the order of results, in one transaction. So whatever dies at whatever moment, every address is acknowledged once and
// none is lost. The package must not know tools or protocols, nor how a tab is driven: what needs a browser is asked of a
// Renderer.
package crawl
