// Package pagetest opens pages of fixtures in a real browser, for tests of the layers of a page. One
// browser serves a test binary; every test has a tab of its own. Only tests import it.
package pagetest
