package audit

import "slices"

// need is a part of the evidence without which a check is unknown.
type need int

const (
	needFacts need = 1 << iota
	needResponse
	needIssues
	needConsole
	needCookies
	needFiles
)

// check is one row of a table.
type check struct {
	id       string
	category Category
	impact   Impact
	doc      string // what must hold
	try      string // what to do where it does not
	needs    need
	judge    func(*evidence) outcome
}

// checks returns all checks but those of axe.
func checks() []check {
	return slices.Concat(seoChecks(), practiceChecks(), securityChecks(), policyChecks(), codeChecks())
}

// run judges the evidence, or says what of it is missing.
func (c check) run(e *evidence) outcome {
	switch {
	case c.needs&needFacts != 0 && e.facts == nil:
		return unclear(e.factsReason)
	case c.needs&needResponse != 0 && !e.responseKnown && !e.hasNoResponse():
		return unclear(noResponse)
	case c.needs&needIssues != 0 && e.issuesReason != "":
		return unclear(e.issuesReason)
	case c.needs&needConsole != 0 && e.errorsDropped && len(e.errors) == 0:
		return unclear("the page has said more than is kept")
	case c.needs&needCookies != 0 && e.cookiesReason != "":
		return unclear(e.cookiesReason)
	case c.needs&needFiles != 0 && e.filesReason != "":
		return unclear(e.filesReason)
	case c.needs&needResponse != 0 && e.hasNoResponse():
		return skip()
	}
	return c.judge(e)
}

// hasNoResponse reports whether the document came without a response of a server, such as a file or a
// data URL.
func (e *evidence) hasNoResponse() bool {
	if e.facts == nil {
		return false
	}
	scheme := e.address().Scheme
	return scheme != "http" && scheme != "https"
}
