// Package crawl reads whole sites: it keeps the frontier of addresses in the database of jobs, and
// its workers drain it.
//
// A worker leases an address, reads it, and acknowledges it together with the links found on it,
// its result and its place among the results, in one transaction. So every address is acknowledged
// once and none is lost, whenever a process dies. The package must not know tools, protocols or
// tabs: a Renderer loads the pages that need a browser.
package crawl
