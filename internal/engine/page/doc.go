// Package page puts the parts together that read and operate one document of a browser tab: [Page] has
// one field for each. The parts are layers; each imports only those before it:
//
//	script    the code that runs in the page
//	track     navigations and requests, from the events of the session
//	document  the identity of the document, its frames, its refs, and calls of the code in it
//	secret    documents that secrets were typed into, and scripts that must not see them
//	node      elements for instruments that speak the protocol
//	settle    the wait until the effects of an action have ended
//	fetch     requests of the origin of the document
//	read      outlines, Markdown, differences, data
//	locate    elements by words, selectors, labels and identities
//	input     mouse, keyboard, files, and the input of a person who works along
//	widget    values of fields of any kind, by the input of a person
//
// The package knows one connection to a target, a cdp.Session. It must not know browsers, tabs,
// profiles, dialogs or tools. It opens no page and never retries an action on another element.
package page
