package hint

import (
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
)

// repeatThreshold is the number of equal calls or refusals in a row after which a hint appears,
// each time anew.
const repeatThreshold = 3

// rule is one hint. hint.go decides which rule applies.
type rule struct {
	id      string
	code    toolkit.Code // the refusal it is for; "" is every code
	phrases []string     // texts of the page, in lower case
	message string
	advice  []advice // in order of preference; text uses the first that the client can follow
}

// advice recommends a tool. % in format stands for the tool's name.
type advice struct{ tool, format string }

var readAgain = []advice{
	{toolset.ToolReadPage, "% shows what is there now"},
	{toolset.ToolBrowserSnapshot, "% shows what is there now"},
	{toolset.ToolPageScreenshot, "% shows how it looks"},
}

// failures are the hints for the same refusal of the same tool, three times in a row. The last
// applies to every code.
var failures = []rule{
	{id: "stale", code: codes.StaleRef, message: "the refs are of an older page", advice: readAgain},
	{id: "missing", code: codes.NotFound, message: "it is not found under any of these names", advice: readAgain},
	{id: "covered", code: codes.NotActionable, message: "something keeps the element from taking input", advice: []advice{
		{toolset.ToolPageScreenshot, "% shows what covers it"}, {toolset.ToolReadPage, "% shows what else there is"},
	}},
	{id: "slow", code: toolkit.Timeout, message: "waiting longer for the same has not helped", advice: []advice{
		{toolset.ToolInspect, "% tells what the page is doing"}, {toolset.ToolReadPage, "% shows what is there now"},
	}},
	{id: "arguments", code: toolkit.InvalidArguments, message: "the arguments do not fit the tool", advice: []advice{
		{toolset.ToolExpandTools, "% gives its definition by name"},
	}},
	{id: "again", message: "this fails in the same way each time: try another way", advice: readAgain},
}

// walls are the hints for login pages and CAPTCHAs. Their phrases are English texts of such pages
// and names of CAPTCHAs.
var walls = []rule{
	{id: "robot", phrases: []string{
		"captcha", "i'm not a robot", "i am not a robot", "verify you are human", "verify that you are human", "are you a robot",
		"unusual traffic", "checking your browser", "cf-challenge", "press & hold", "automated requests",
	}, message: "this page checks for robots, which repeating does not pass: a person must solve it, or use another source"},
	{id: "login", phrases: []string{
		"log in to continue", "sign in to continue", "login required", "please log in", "please sign in", "you must be logged in",
		"you must log in", "you need to sign in", "session has expired",
	}, message: "the site wants a login first", advice: []advice{
		{toolset.ToolOcContextImport, "% restores a login that was exported"}, {toolset.ToolFillForm, "% fills in credentials that you were given"},
	}},
}

// loops are the hints for the same call with the same result, three times in a row.
var loops = []rule{
	{id: "waiting", message: "nothing has changed since the first of these calls", advice: []advice{
		{toolset.ToolWaitFor, "% waits for what you expect"},
	}},
	{id: "acting", message: "this call has had the same answer three times, so it changes nothing", advice: readAgain},
}

// readsPage reports whether the results of a tool show text or elements of the page.
func readsPage(t toolkit.Traits) bool {
	return t.Shows == toolset.ShowsPage || t.Shows == toolset.ShowsElements
}

// showsPage reports whether the results of a tool begin with the page that it read or led to.
func showsPage(t toolkit.Traits) bool { return readsPage(t) || t.Record == toolset.RecordNavigation }

// failureRule returns the rule for a refusal code.
func failureRule(code toolkit.Code) *rule {
	last := len(failures) - 1
	for i := range failures[:last] {
		if failures[i].code == code {
			return &failures[i]
		}
	}
	return &failures[last]
}

// loopRule returns the rule for a repeated call. It advises a reading tool to wait and an acting
// tool to read.
func loopRule(t toolkit.Traits) *rule {
	if readsPage(t) || showsPage(t) && !t.Has(toolset.RoleRef) {
		return &loops[0]
	}
	return &loops[1]
}
