package webmcp

import (
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"
)

// Tool is one tool that a document offers. Every text of it is page content.
type Tool struct {
	// Origin is the origin of the document that registered the tool, such as https://shop.example.
	Origin string
	// Registration is the number of the tool's registration: another one of the tab has another number, even of
	// an equal tool.
	Registration uint64
	// Frame is the frame of that document.
	Frame cdp.FrameID
	// Name identifies the tool in its document.
	Name        string
	Description string
	// InputSchema and OutputSchema are JSON Schemas as the page gave them; nil where it gave none. Nothing
	// has checked them.
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  Annotations
	// Declarative reports that the tool is an annotated form, not a function.
	Declarative bool
}

// Annotations are the hints of a page about its tool. None of them is proved.
type Annotations struct {
	ReadOnly         bool // a call changes no state
	UntrustedContent bool // a result may have content of third parties
	Consequential    bool // a call has consequences, such as an order
	Debugging        bool // it is for developers
	Autosubmit       bool // the form is submitted by the call, not by a person
}
