// Package page puts the parts together that read and operate one document of a browser tab: [Page] has
// one field for each. The parts are layers; each imports only those before it:
//
//	script    the code that runs in the page
//	track     what the events of the session say about navigations and requests
//	document  the identity of the document, its frames, its refs, and calls of the code in it
//	secret    documents that secrets were typed into, and scripts that must not see them
//	node      elements for instruments that speak the protocol
//	settle    what an action started, and when it has ended
//	fetch     requests of the origin of the document
//	read      outlines, Markdown, differences, data
//	locate    words, selectors, labels and identities, and the elements that they mean
//	input     mouse, keyboard, files, and the input of a person who works along
//	widget    values of fields of any kind, by the input of a person
//
// The package knows one connection to a target, a cdp.Session. It must not know browsers, tabs,
// profiles, dialogs or tools. It opens no page and never retries an action on another element.
package page
