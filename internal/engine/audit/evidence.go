package audit

import (
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/audits"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
	"github.com/callsheet/callsheet/internal/engine/console"
)

// cause is an offender as a check names it: the index of an element that the page's script keeps, or
// -1, and a detail.
type cause struct {
	Element int    `json:"element"`
	Detail  string `json:"detail"`
}

// causes are at most 20 of Total.
type causes struct {
	Total int     `json:"total"`
	Items []cause `json:"items"`
}

// facts is the report of js/facts.js about the top document.
type facts struct {
	URL, ContentType, CompatMode, Charset string
	Doctype                               *struct{ Name, PublicID, SystemID string }
	CharsetDeclared, SecureContext        bool
	HasTitle                              bool
	Title                                 string
	Descriptions, Viewports, Robots       []string
	Policies, ReferrerPolicies            []string
	Canonicals                            []string
	Alternates                            []struct{ Lang, Href string }

	Links, Images, Targets, Passwords, StructuredData int
	GenericLinks, UncrawlableLinks                    causes
	DistortedImages, BrokenImages                     causes
	SmallTargets, SmallTexts                          causes
	TextLength, SmallTextLength                       int
	InvalidData, InsecureLoads, InsecureForms         causes
}

// evidence is the data that the checks judge. A reason says why a part of it is missing; it is "" where the
// part is present.
type evidence struct {
	facts         *facts
	factsReason   string
	factsDetail   string // the error of the page's script
	response      browser.DocumentResponse
	responseKnown bool
	issues        []*audits.InspectorIssue
	issuesReason  string
	errors        []console.Message
	errorsDropped bool
	cookies       []webstorage.Cookie
	cookiesReason string
	files         []FileUse
	filesReason   string
}

// noResponse is the reason of checks that need headers of a response that was not seen.
const noResponse = "the response of the document was not seen; audit with reload"

// detailOf returns the text of the page that belongs to a reason.
func (e *evidence) detailOf(reason string) string {
	if reason == e.factsReason {
		return e.factsDetail
	}
	return ""
}

func (e *evidence) address() *url.URL {
	u, err := url.Parse(e.facts.URL)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// isLocal reports whether the page comes from this machine, where browsers trust http.
func (e *evidence) isLocal() bool {
	host := e.address().Hostname()
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "::1" || strings.HasPrefix(host, "127.")
}

// header returns a header of the document's response.
func (e *evidence) header(name string) string { return e.response.Headers[name] }

// policies returns the content security policies of the response and of the document.
func (e *evidence) policies() []string {
	sent := strings.FieldsFunc(e.header("content-security-policy"), func(r rune) bool { return r == '\n' || r == ',' })
	return append(sent, e.facts.Policies...)
}

// state is how a check came out.
type state int

const (
	holds state = iota
	fails
	inapplicable
	unknown
)

// outcome is the result of one check.
type outcome struct {
	state  state
	reason string // of an unknown one
	causes causes
}

func pass() outcome                 { return outcome{} }
func skip() outcome                 { return outcome{state: inapplicable} }
func unclear(reason string) outcome { return outcome{state: unknown, reason: reason} }
func failing(list causes) outcome   { return outcome{state: fails, causes: list} }
func failed(details ...string) outcome {
	list := causes{Total: max(1, len(details))}
	for _, d := range details {
		list.Items = append(list.Items, cause{-1, d})
	}
	return failing(list)
}

// none passes where there is nothing to name, and fails otherwise.
func none(list causes) outcome {
	if list.Total == 0 {
		return pass()
	}
	return failing(list)
}

// noneOf is none, and inapplicable where there is nothing to look at.
func noneOf(total int, list causes) outcome {
	if total == 0 {
		return skip()
	}
	return none(list)
}

// require passes if ok, and fails with a detail otherwise.
func require(ok bool, details ...string) outcome {
	if ok {
		return pass()
	}
	return failed(details...)
}
