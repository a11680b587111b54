package hint

import (
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// times is how often the same must come in a row to be worth a hint, and again for the next.
const times = 3

// rule is one thing to say. Rules are data: what decides between them is in hint.go.
type rule struct {
	id      string
	code    toolkit.Code // of failures
	phrases []string     // of walls, in small letters
	says    string
	advice  []advice // the first that this client can follow is given
}

// advice names a tool, by its generated constant; % stands for its name.
type advice struct{ tool, how string }

var look = []advice{
	{toolset.ToolReadPage, "% shows what is there now"},
	{toolset.ToolBrowserSnapshot, "% shows what is there now"},
	{toolset.ToolPageScreenshot, "% shows how it looks"},
}

// failures are about the same refusal of the same tool, three times in a row. The last holds for every code.
var failures = []rule{
	{id: "stale", code: toolkit.StaleRef, says: "the refs are of an older page", advice: look},
	{id: "missing", code: toolkit.NotFound, says: "it is not found under any of these names", advice: look},
	{id: "covered", code: toolkit.NotActionable, says: "something keeps the element from taking input", advice: []advice{
		{toolset.ToolPageScreenshot, "% shows what covers it"}, {toolset.ToolReadPage, "% shows what else there is"},
	}},
	{id: "slow", code: toolkit.Timeout, says: "waiting longer for the same has not helped", advice: []advice{
		{toolset.ToolInspect, "% tells what the page is doing"}, {toolset.ToolReadPage, "% shows what is there now"},
	}},
	{id: "arguments", code: toolkit.InvalidArguments, says: "the arguments do not fit the tool", advice: []advice{
		{toolset.ToolExpandTools, "% gives its definition by name"},
	}},
	{id: "again", says: "this fails in the same way each time: try another way", advice: look},
}

// walls are pages that let nobody on. Phrases are what such pages say, in English, with the names of usual checks.
var walls = []rule{
	{id: "robot", phrases: []string{
		"captcha", "i'm not a robot", "i am not a robot", "verify you are human", "verify that you are human", "are you a robot",
		"unusual traffic", "checking your browser", "cf-challenge", "press & hold", "automated requests",
	}, says: "this page checks for robots, which repeating does not pass: a person must solve it, or use another source"},
	{id: "login", phrases: []string{
		"log in to continue", "sign in to continue", "login required", "please log in", "please sign in", "you must be logged in",
		"you must log in", "you need to sign in", "session has expired",
	}, says: "the site wants a login first", advice: []advice{
		{toolset.ToolOcContextImport, "% restores a login that was exported"}, {toolset.ToolFillForm, "% fills in credentials that you were given"},
	}},
}

// loops are about the same call with the same answer, three times in a row.
var loops = []rule{
	{id: "waiting", says: "nothing has changed since the first of these calls", advice: []advice{
		{toolset.ToolWaitFor, "% waits for what you expect"},
	}},
	{id: "acting", says: "this call has had the same answer three times, so it changes nothing", advice: look},
}

// readers are tools whose answers begin with what a page shows.
var readers = []string{
	toolset.ToolReadPage, toolset.ToolNavigate, toolset.ToolTabsCreate, toolset.ToolInteract, toolset.ToolInspect, toolset.ToolPageReload,
	toolset.ToolFind, toolset.ToolPageContent, toolset.ToolBrowserSnapshot, toolset.ToolBrowserClickRef, toolset.ToolValidatePage,
}

func showsPage(tool string) bool { return slices.Contains(readers, tool) }

// failureRule is the rule for a code.
func failureRule(code toolkit.Code) *rule {
	last := len(failures) - 1
	for i := range failures[:last] {
		if failures[i].code == code {
			return &failures[i]
		}
	}
	return &failures[last]
}

// loopRule is the rule for a call that is repeated: who looks must wait, who acts must look.
func loopRule(tool string) *rule {
	if showsPage(tool) && tool != toolset.ToolInteract && tool != toolset.ToolBrowserClickRef {
		return &loops[0]
	}
	return &loops[1]
}
