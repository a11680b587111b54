// Package settle decides when the effects of an action have ended. It waits for the navigations,
// requests and changes of the DOM that follow an action, and for conditions that a caller names. It must
// not act on the page, and does not know which input an action sends.
package settle
