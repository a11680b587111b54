// Package document keeps the identity of the document that a tab shows, and calls the engine's script
// in it. A script of package script does the DOM work in an isolated world of the page: it sees the same
// elements as the page's own scripts and shares no variable with them, so a page can neither read nor
// replace it. The script is injected once per document. The debugger's handle of its entry function
// identifies the document, and every ref lives as long as that handle.
//
// Frames of the same origin are read through their parent. Every other frame is a remote frame with
// a world of its own, in the page's process or in another one. The debugger finds closed shadow
// trees and hands them to the world around them (docs/adr/0018). LocateRef leads from a ref to its
// world, and ToTopViewport from a point of that world to the top viewport.
//
// The package turns errors of the script into typed errors. It must not know what is read, found or
// clicked, and it waits for nothing but responses.
package document
