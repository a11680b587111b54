// Package emittest holds what the tests of all emitters share: a small tool set that uses
// everything the model can say, synthetic tool sets of any size, random tools and golden archives.
//
// Only tests import it. It must not know how any output looks.
package emittest

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/code"
)

// Toolset is a valid set of five tools in two areas and two scopes that uses every field of the
// model at least once. Each call builds a new one.
func Toolset() *model.Toolset {
	connected := &model.Fact{Name: "connected", GoName: "FactConnected", Description: "A browser is connected."}
	paused := &model.Fact{Name: "paused", GoName: "FactPaused", Description: "JavaScript is stopped.", Bit: 1}
	ts := &model.Toolset{
		Module: "example.org/tools",
		Capabilities: []*model.Capability{
			{Name: "core", Title: "Core", Description: "Read and act."},
			{Name: "debugger", Title: "Debugger", Description: "Breakpoints & stepping."},
		},
		Facts: []*model.Fact{connected, paused},
		Scenarios: []*model.Scenario{
			{Name: "cold"},
			{Name: "paused", Facts: []*model.Fact{connected, paused}},
		},
		Events:  events(connected, paused),
		Refused: []*model.Refused{{Name: "sessionId", Reason: "a connection is one session"}},
		Codes: []*model.Code{
			{Info: code.Info{Code: code.Failed, Class: code.ClassFailed, Description: "It failed."}, GoName: "Failed", Builtin: true},
			{Info: code.Info{Code: "NO_TAB", Class: code.ClassNotFound, Description: "No such tab.", Fields: []code.Field{{Name: "tabs", Type: "array", Description: "Open tabs."}}}, GoName: "NoTab"},
		},
		CommonFields: []code.Field{{Name: "step", Type: "number", Description: "The step <b>."}},
		Scopes:       []*model.Scope{{Name: "default", Frozen: true, Since: "1.0"}, {Name: "reader"}},
	}
	page := &model.Area{Name: "page", GoName: "Page", File: "manifest/tools/page.yaml"}
	debugger := &model.Area{Name: "debugger", GoName: "Debugger", File: "manifest/tools/debugger.yaml"}
	core, stepping := ts.Capabilities[0], ts.Capabilities[1]
	ts.Areas = []*model.Area{debugger, page}
	debugger.Tools = []*model.Tool{resume(stepping, ts.Scopes[:1], connected, paused)}
	page.Tools = []*model.Tool{
		find(core, ts.Scopes), ping(core, ts.Scopes[:1]), queryDOM(core, ts.Scopes[:1], connected), screenshot(core, ts.Scopes),
	}
	ts.Tools = append(append(ts.Tools, page.Tools[0], page.Tools[1], page.Tools[2]), debugger.Tools[0], page.Tools[3])
	entries(ts, page, core, connected)
	for _, a := range ts.Areas {
		for _, t := range a.Tools {
			t.Area, t.Tagged = a, true
		}
	}
	return ts
}

// events lead to every combination of the facts and back.
func events(connected, paused *model.Fact) []*model.Event {
	is := func(f *model.Fact) model.Predicate {
		return model.Predicate{Text: f.Name, Expr: model.FactExpr{Fact: f}}
	}
	not := func(f *model.Fact) model.Predicate {
		return model.Predicate{Text: "!" + f.Name, Expr: model.NotExpr{X: model.FactExpr{Fact: f}}}
	}
	return []*model.Event{
		{Name: "browser.up", When: not(connected), Changes: model.Change{Sets: []*model.Fact{connected}}},
		{Name: "debugger.paused", When: not(paused), Changes: model.Change{Sets: []*model.Fact{paused}}},
		{Name: "browser.gone", When: is(connected),
			Changes: model.Change{Clears: []*model.Fact{connected}, MayClear: []*model.Fact{paused}}},
	}
}

// ping is the smallest tool there can be: no parameter, every effect equal to the protocol's
// default.
func ping(c *model.Capability, scopes []*model.Scope) *model.Tool {
	return &model.Tool{
		Name: "ping", Title: "Ping", GoName: "Ping", Description: "Answer.",
		Capability: c, Scopes: scopes, Tier: 1, Effects: model.Effects{Destructive: true, OpenWorld: true},
		Input: &model.Object{GoName: "PingParams"}, ResultBytes: 100, TimeoutMS: 1000,
	}
}

func find(c *model.Capability, scopes []*model.Scope) *model.Tool {
	query := &model.Property{
		Name: "query", GoName: "Query", Required: true, Description: `Name or role, e.g. "a|b" <b> & c.`,
		Type: &model.Type{Kind: model.String, MinLength: new(1), MaxLength: new(200), Pattern: `^[^|<>&]+$`},
	}
	limit := &model.Property{
		Name: "limit", GoName: "Limit", Default: &model.Value{Number: 10}, Was: []string{"max"},
		Type: &model.Type{Kind: model.Integer, Minimum: new(1.0), Maximum: new(50.0)},
	}
	exact := &model.Property{Name: "exact", GoName: "Exact", Default: &model.Value{}, Type: &model.Type{Kind: model.Boolean}}
	return &model.Tool{
		Name: "find", Title: "Find elements", GoName: "Find", Description: "Find elements | best first, with *refs* <e5>.",
		Capability: c, Scopes: scopes, Tier: 1, Effects: model.Effects{ReadOnly: true, Idempotent: true, OpenWorld: true},
		Input:  &model.Object{GoName: "FindParams", Properties: []*model.Property{query, limit, exact}},
		Output: findOutput(), ResultBytes: 8000, TimeoutMS: 35000,
		Slim: &model.Slim{Description: "Find elements.", Properties: []*model.Property{query, limit}},
		Was:  []string{"search", "locate"},
	}
}

func findOutput() *model.Object {
	ref := &model.Property{Name: "ref", GoName: "Ref", Required: true, Type: &model.Type{Kind: model.String}}
	score := &model.Property{
		Name: "score", GoName: "Score", Description: "Higher is better.",
		Type: &model.Type{Kind: model.Number, Minimum: new(0.0), Maximum: new(0.5)},
	}
	match := &model.Object{GoName: "FindResultMatches", Properties: []*model.Property{ref, score}}
	return &model.Object{GoName: "FindResult", Properties: []*model.Property{
		{Name: "total", GoName: "Total", Required: true, Type: &model.Type{Kind: model.Integer}},
		{Name: "matches", GoName: "Matches", Type: &model.Type{
			Kind: model.Array, MaxItems: new(50), Items: &model.Type{Kind: model.Nested, Object: match},
		}},
	}}
}

func queryDOM(c *model.Capability, scopes []*model.Scope, connected *model.Fact) *model.Tool {
	method := &model.Property{
		Name: "method", GoName: "Method", Required: true,
		Type: &model.Type{Kind: model.String, Enum: []string{"css", "xpath"}, EnumGoName: "QueryDOMMethod"},
	}
	selector := &model.Property{Name: "selector", GoName: "Selector", Type: &model.Type{Kind: model.String, MinLength: new(1)}}
	xpath := &model.Property{Name: "xpath", GoName: "Xpath", Type: &model.Type{Kind: model.String, MinLength: new(1)}}
	return &model.Tool{
		Name: "query_dom", Title: "Query DOM", GoName: "QueryDOM", Description: "Elements matching a selector.",
		Capability: c, Scopes: scopes, Tier: 2, Effects: model.Effects{ReadOnly: true, Idempotent: true},
		Visible: model.Predicate{Text: "connected", Expr: model.FactExpr{Fact: connected}},
		Input: &model.Object{GoName: "QueryDOMParams", Properties: []*model.Property{method, selector, xpath}, Refused: []*model.Refused{
			{Name: "pierce", Reason: "shadow trees are always | searched"},
		}},
		Requirements: []*model.Requirement{
			{When: method, Values: []string{"css"}, Mode: model.All, Names: []*model.Property{selector}},
			{When: method, Values: []string{"xpath"}, Mode: model.All, Names: []*model.Property{xpath}},
		},
		ResultBytes: 50000, TimeoutMS: 30000,
	}
}

func screenshot(c *model.Capability, scopes []*model.Scope) *model.Tool {
	side := func(name, goName string) *model.Property {
		return &model.Property{
			Name: name, GoName: goName, Required: true, Description: "px",
			Type: &model.Type{Kind: model.Number, Minimum: new(1.0), Maximum: new(20000.0)},
		}
	}
	clip := &model.Object{GoName: "ScreenshotClip", Properties: []*model.Property{side("width", "Width"), side("height", "Height")}}
	properties := []*model.Property{
		{Name: "path", GoName: "Path", Description: "Inside the output directory.", Default: &model.Value{}, Type: &model.Type{Kind: model.String}},
		{Name: "format", GoName: "Format", Default: &model.Value{String: "png"}, Type: &model.Type{
			Kind: model.String, Enum: []string{"png", "jpeg"}, EnumGoName: "ScreenshotFormat",
		}},
		{Name: "clip", GoName: "Clip", Type: &model.Type{Kind: model.Nested, Object: clip}},
		{Name: "at", GoName: "At", Description: "[x, y]", FromObject: []string{"x", "y"}, Type: &model.Type{
			Kind: model.Array, MinItems: new(2), MaxItems: new(2), Items: &model.Type{Kind: model.Number, Minimum: new(0.0)},
		}},
		{Name: "quality", GoName: "Quality", Unlisted: true, Type: &model.Type{Kind: model.Integer}},
	}
	return &model.Tool{
		Name: "screenshot", Title: "Screenshot", GoName: "Screenshot", Description: "Picture of the page.",
		Capability: c, Scopes: scopes, Tier: 1, Effects: model.Effects{Idempotent: true}, Surfaces: []string{"evaluate", "file"},
		Input:        &model.Object{GoName: "ScreenshotParams", Properties: properties},
		Requirements: []*model.Requirement{{Mode: model.One, Names: []*model.Property{properties[2], properties[3]}}},
		ResultBytes:  2000, TimeoutMS: 60000,
		Slim: &model.Slim{Description: "Picture.", Properties: properties[2:3]},
	}
}

func resume(c *model.Capability, scopes []*model.Scope, connected, paused *model.Fact) *model.Tool {
	return &model.Tool{
		Name: "resume", Title: "Resume", GoName: "Resume", Description: "Continue until the next breakpoint.",
		Capability: c, Scopes: scopes, Tier: 1, Changes: model.Change{Clears: []*model.Fact{paused}},
		Visible: model.Predicate{
			Text: "connected && paused || !connected && paused",
			Expr: model.OrExpr{
				X: model.AndExpr{X: model.FactExpr{Fact: connected}, Y: model.FactExpr{Fact: paused}},
				Y: model.AndExpr{X: model.NotExpr{X: model.FactExpr{Fact: connected}}, Y: model.FactExpr{Fact: paused}},
			},
		},
		Input: &model.Object{GoName: "ResumeParams"}, ResultBytes: 4000, TimeoutMS: 10000,
	}
}

// Synthetic is a valid set of n tools, fifty to an area, each like one of Toolset's; what a
// benchmark feeds on.
func Synthetic(n int) *model.Toolset {
	small := Toolset()
	ts := &model.Toolset{
		Module: small.Module, Capabilities: small.Capabilities, Facts: small.Facts, Scenarios: small.Scenarios, Scopes: small.Scopes,
	}
	for i := range n {
		if i%50 == 0 {
			name := fmt.Sprintf("area%04d", i/50)
			ts.Areas = append(ts.Areas, &model.Area{Name: name, GoName: "A" + name[1:], File: "manifest/tools/" + name + ".yaml"})
		}
		t := *small.Tools[i%len(small.Tools)]
		t.Name, t.Area = fmt.Sprintf("t%06d_%s", i, t.Name), ts.Areas[len(ts.Areas)-1]
		t.Area.Tools = append(t.Area.Tools, &t)
		ts.Tools = append(ts.Tools, &t)
	}
	return ts
}
