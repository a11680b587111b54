// Package page reads and operates one document of a browser tab: it turns a
// page into an outline with refs, finds elements by words or selectors, acts on
// them with real input, and reports what an action changed once the page has
// come to rest.
//
// The work on the DOM is done by a script (js/) in an isolated world of the
// page: it sees the same elements as the page's own scripts but shares no
// variable with them, so a page can neither read nor replace it. The script is
// installed once per document; the debugger's handle of its entry function is
// the identity of that document, and every ref lives and dies with it.
//
// The package knows one connection to a target, a [cdp.Session], and nothing
// of browsers, tabs, profiles, dialogs or tools. It never opens a page by
// itself and never retries an action on another element than the one named.
//
// Frames of the same origin are read through their parent. Every other frame is
// a door with a world of its own behind it, in the page's process or in another;
// closed shadow trees are found from outside and handed to the world around
// them (docs/adr/0016). A ref leads to its world by locate, and a point of that
// world to the top viewport by outward.
package page
