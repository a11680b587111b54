// Package chromium starts Chromium processes and cleans up after them: it finds the executable,
// builds the command line, owns user data directories, lists the profiles of an installed Chrome
// and kills orphaned browsers.
//
// It speaks no protocol and must not know what happens in a running browser; that is package
// browser, which imports it.
package chromium
