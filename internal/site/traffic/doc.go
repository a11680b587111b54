// Package traffic records the responses of a site to a browser as an HTTP Archive (HAR 1.2), and answers a
// browser from one in place of the site.
//
// A recording has no values of secrets, cookies and tokens. An archive of DevTools or Playwright can be
// replayed too. The package must not know tools, nor how a site is checked.
package traffic
