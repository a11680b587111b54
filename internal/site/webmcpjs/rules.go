package webmcpjs

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/site/source"
)

// Rules about the limits of a page's script. A tool that breaks one is left out of the script.
const (
	ruleDocument = "webmcp-document"
	ruleSecret   = "webmcp-secret"
	ruleStep     = "webmcp-step"
	ruleContract = "webmcp-contract"
)

// Rules is the table of the rules of Emit.
func Rules() []diag.Rule[*source.Site] {
	return []diag.Rule[*source.Site]{
		{ID: ruleDocument, Severity: diag.Warning, Doc: "A tool loads another document: it starts at an address, calls navigate, or expects another address afterwards. " +
			"A call of a page's tool ends with its document, so that no later step, postcondition or output is possible. A start at a fragment (/#name) stays in the document.",
			Check: eachTool(checkDocument)},
		{ID: ruleSecret, Severity: diag.Warning, Doc: "A step types a secret. The script of a page is public, and has none.", Check: eachTool(checkSecret)},
		{ID: ruleStep, Severity: diag.Warning, Doc: "A step calls a tool, or names an action, that a page's script cannot do, or names its element by a description " +
			"in place of role and name. A script clicks, sets fields and waits; it has no trusted keys, dialogs, downloads or tabs.", Check: eachTool(checkStep)},
		{ID: ruleContract, Severity: diag.Warning, Doc: "A postcondition or an expect asserts what a page's script cannot see, such as requests or the console.", Check: eachTool(checkContract)},
	}
}

func eachTool(check func(*source.Tool, diag.Report)) func(*source.Site, diag.Report) {
	return func(site *source.Site, report diag.Report) {
		for _, t := range site.Tools {
			check(t, report)
		}
	}
}

func checkDocument(t *source.Tool, report diag.Report) {
	name := t.Entry.Name.Value
	if t.Start.Set() && !isFragment(t.Start.Value) {
		report(t.Start.Pos, "tool %q starts at %s, which loads another document, and the call ends with this one", name, t.Start.Value).Hint =
			"a page's tool begins where the page is: delete start, or name a fragment such as /#name"
	}
	for _, s := range t.Steps {
		if loadsDocument(&s) {
			report(s.Pos, "step %d of tool %q loads another document, and the call ends with this one", s.Number, name).Hint =
				"divide the tool: one for each document"
		}
		if leaf := addressLeaf(s.Expect); leaf != "" {
			report(s.Pos, "step %d of tool %q expects the address %s, which is of another document", s.Number, name, leaf).Hint = "divide the tool after this step"
		}
	}
	if leaf := addressLeaf(t.Postcondition); leaf != "" {
		report(t.PostPos, "tool %q expects the address %s afterwards, which is of another document, and the call ends with this one", name, leaf).Hint =
			"expect what the same document shows, such as dom_text"
	}
}

// loadsDocument reports whether a step opens an address, or the page again.
func loadsDocument(s *source.Step) bool {
	switch toolset.TraitsOf(s.Tool).Replay {
	case toolset.ReplayNavigate, toolset.ReplayOpenTab, toolset.ReplayReload:
		return true
	}
	return false
}

// isFragment reports whether an address is a fragment of one page.
func isFragment(address string) bool {
	page, _, ok := strings.Cut(address, "#")
	return ok && len(source.Placeholders(page)) == 0
}

// addressLeaf returns the text of an assertion about an address that is no fragment, or "".
func addressLeaf(contract json.RawMessage) string {
	found := ""
	visitContract(contract, func(kind string, value any) {
		text, ok := value.(string)
		if members, isMap := value.(map[string]any); isMap {
			for _, v := range members {
				text, ok = v.(string)
			}
		}
		if kind == "url" && ok && !strings.Contains(text, "#") {
			found = text
		}
	})
	return found
}

func checkSecret(t *source.Tool, report diag.Report) {
	for _, s := range t.Steps {
		if slices.ContainsFunc(source.Placeholders(string(s.Args)), func(p source.Placeholder) bool { return p.Secret }) {
			report(s.Pos, "step %d of tool %q types a secret, and a page's script has none", s.Number, t.Entry.Name.Value).Hint = "leave this step to the person"
		}
	}
}

func checkStep(t *source.Tool, report diag.Report) {
	for _, s := range t.Steps {
		if why := impossible(&s); why != "" {
			report(s.Pos, "step %d of tool %q: %s", s.Number, t.Entry.Name.Value, why).Hint = "the tool stays one of callsheet --site"
		}
	}
}

// impossible says why a page's script cannot take a step, or returns "".
func impossible(s *source.Step) string {
	if s.Request != nil {
		return "it sends a request, which the page's own script can do"
	}
	a := argumentsOf(s)
	target := s.Targets["/ref"]
	switch toolset.TraitsOf(s.Tool).Replay {
	case toolset.ReplayNavigate, toolset.ReplayOpenTab, toolset.ReplayReload:
		return "" // checkDocument reports it
	case toolset.ReplayWait:
		if !slices.Contains([]string{"selector", "selector_hidden", "text", "text_gone"}, a.Type) {
			return "a page's script cannot wait for " + a.Type
		}
		return ""
	case toolset.ReplayClick:
		if a.Action != "" && a.Action != "click" {
			return "a page's script cannot make a trusted " + a.Action
		}
	case toolset.ReplayFill:
	default:
		return s.Tool + " is a tool of the browser, which a page's script has not"
	}
	if target == nil {
		return "it names its element by a description; write target with role and name"
	}
	return ""
}

func checkContract(t *source.Tool, report diag.Report) {
	possible := []string{"url", "dom_text", "dom_count", "element", "value", "and", "or", "not"}
	check := func(at diag.Pos, contract json.RawMessage) {
		visitContract(contract, func(kind string, _ any) {
			if !slices.Contains(possible, kind) {
				report(at, "tool %q asserts %s, which a page's script cannot see", t.Entry.Name.Value, kind).Hint = "assert what the page shows: " + strings.Join(possible[:5], ", ")
			}
		})
	}
	for _, s := range t.Steps {
		check(s.Pos, s.Expect)
	}
	check(t.PostPos, t.Postcondition)
}

// visitContract calls visit for every assertion of a contract, inner ones too.
func visitContract(contract json.RawMessage, visit func(kind string, value any)) {
	var members map[string]any
	if len(contract) == 0 || json.Unmarshal(contract, &members) != nil {
		return
	}
	visitMembers(members, visit)
}

func visitMembers(members map[string]any, visit func(kind string, value any)) {
	for _, kind := range slices.Sorted(maps.Keys(members)) {
		value := members[kind]
		visit(kind, value)
		list, _ := value.([]any)
		if kind == "not" {
			list = []any{value}
		}
		if kind != "and" && kind != "or" && kind != "not" {
			continue
		}
		for _, item := range list {
			if inner, ok := item.(map[string]any); ok {
				visitMembers(inner, visit)
			}
		}
	}
}
