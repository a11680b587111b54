// Package page reads and operates one document of a browser tab. It renders a page as an outline
// with refs, finds elements by words or selectors, acts on them with real input, and reports what
// an action changed once the page is stable.
//
// A script (js/) does the DOM work in an isolated world of the page: it sees the same elements as
// the page's own scripts and shares no variable with them, so a page can neither read nor replace
// it. The script is injected once per document. The debugger's handle of its entry function
// identifies the document, and every ref lives as long as that handle.
//
// The package knows one connection to a target, a [cdp.Session]. It must not know browsers, tabs,
// profiles, dialogs or tools. It opens no page and never retries an action on another element.
//
// Frames of the same origin are read through their parent. Every other frame is a remote frame with
// a world of its own, in the page's process or in another one. The debugger finds closed shadow
// trees and hands them to the world around them (docs/adr/0016). locateRef leads from a ref to its
// world, and toTopViewport from a point of that world to the top viewport.
//
// It is one package because reading, finding, acting and waiting share one Page: its worlds, its
// ref numbers and its tracker. Each file holds one of these verbs.
package page
