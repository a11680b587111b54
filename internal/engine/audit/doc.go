// Package audit examines one page: its accessibility with axe-core, what search engines and browsers
// expect of it, the security of its response, and how much of its code is used.
//
// A check is a row of a table: what it is about, what to try, and a function that judges evidence.
// Evidence is gathered once: by scripts in isolated worlds of the page, from the response of the
// document, from the browser's issues, and from its coverage. What could not be gathered makes the
// checks that need it unknown, never passed. The package knows the tab it is given. It must not know
// tools, artifacts or how a report is shown.
package audit
