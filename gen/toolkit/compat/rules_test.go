package compat

import (
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/remote"
)

// tool is a list with one tool.
func tool(members string) string { return `{"tools":[{"name":"a",` + members + `}]}` }

// input is one with an input schema of one property.
func input(p string) string {
	return tool(`"inputSchema":{"type":"object","properties":{"p":` + p + `}}`)
}

func output(schema string) string {
	return tool(`"inputSchema":{"type":"object"},"outputSchema":` + schema)
}

func server(members string) string { return `{"tools":[],` + members + `}` }

// Every rule has lists that trigger it, and lists that come close and do not.
func TestEveryRuleHasFixtures(t *testing.T) {
	t.Parallel()
	fixtures := map[string]struct{ was, now, close string }{
		"TOOL_NO_DELETE":         {input(`{}`), `{"tools":[]}`, tool(`"description":"other","inputSchema":{"type":"object","properties":{"p":{}}}`)},
		"TOOL_NO_RENAME":         {input(`{}`), strings.Replace(input(`{}`), `"a"`, `"ab"`, 1), `{"tools":[]}`},
		"PARAM_NO_DELETE":        {input(`{}`), tool(`"inputSchema":{"type":"object"}`), input(`{"title":"x"}`)},
		"PARAM_NO_NEW_REQUIRED":  {input(`{}`), tool(`"inputSchema":{"type":"object","properties":{"p":{}},"required":["p"]}`), input(`{"type":"string"}`)},
		"PARAM_SAME_TYPE":        {input(`{"type":"string"}`), input(`{"type":"number"}`), input(`{"type":["number","string"]}`)},
		"PARAM_ENUM_NO_NARROW":   {input(`{"enum":["a","b"]}`), input(`{"enum":["a"]}`), input(`{"enum":["c","b","a"]}`)},
		"PARAM_BOUNDS_NO_NARROW": {input(`{"type":"number","maximum":9}`), input(`{"type":"number","maximum":8}`), input(`{"type":"number","maximum":10}`)},
		"PARAM_CANNOT_TELL":      {input(`{"type":"string"}`), input(`{"type":"string","not":{"const":"x"}}`), input(`{"type":"string","x-note":1}`)},
		"PARAM_SAME_DEFAULT":     {input(`{"default":1}`), input(`{"default":2}`), input(`{}`)},
		"RESULT_NO_NARROW":       {output(`{"type":"object","properties":{"p":{}}}`), output(`{"type":"object"}`), output(`{"type":"object","properties":{"p":{},"q":{}}}`)},
		"RESULT_CANNOT_TELL":     {output(`{"type":"object","not":{"const":1}}`), output(`{"type":"object","not":{"const":2}}`), output(`{"type":"object","not":{"const":1},"title":"x"}`)},
		"TASK_NO_NARROW":         {tool(`"execution":{"taskSupport":"forbidden"}`), tool(`"execution":{"taskSupport":"required"}`), tool(`"execution":{"taskSupport":"optional"}`)},
		"ANNOTATION_NO_WEAKER":   {tool(`"annotations":{"readOnlyHint":true}`), tool(`"annotations":{}`), tool(`"annotations":{"readOnlyHint":true,"openWorldHint":true}`)},
		"ANNOTATION_CHANGED":     {tool(`"annotations":{}`), tool(`"annotations":{"destructiveHint":false}`), tool(`"annotations":{"destructiveHint":true}`)},
		"INPUT_WIDER":            {input(`{"maximum":1}`), input(`{"maximum":2}`), input(`{"maximum":1.0}`)},
		"RESULT_NARROWER":        {output(`{"type":"object"}`), output(`{"type":"object","properties":{"p":{}}}`), output(`{"type":"object","title":"x"}`)},
		"TEXT_CHANGED":           {tool(`"description":"x"`), tool(`"description":"y"`), tool(`"description":"x","icons":[]`)},
		"ENTRY_ADDED":            {`{"tools":[]}`, input(`{}`), `{"tools":[],"prompts":[{"name":"p"}]}`},

		"PROMPT_NO_DELETE":           {`{"prompts":[{"name":"p"}]}`, `{"prompts":[]}`, `{"tools":[]}`},
		"PROMPT_ARG_NO_DELETE":       {`{"prompts":[{"name":"p","arguments":[{"name":"x"}]}]}`, `{"prompts":[{"name":"p"}]}`, `{"prompts":[{"name":"p","arguments":[{"name":"y"},{"name":"x"}]}]}`},
		"PROMPT_ARG_NO_NEW_REQUIRED": {`{"prompts":[{"name":"p"}]}`, `{"prompts":[{"name":"p","arguments":[{"name":"x","required":true}]}]}`, `{"prompts":[{"name":"p","arguments":[{"name":"x"}]}]}`},
		"RESOURCE_NO_DELETE":         {`{"resources":[{"uri":"a:1","name":"x"}]}`, `{"resources":[]}`, `{"resources":[{"uri":"a:2","name":"x"}]}`},
		"RESOURCE_SAME_URI":          {`{"resourceTemplates":[{"uriTemplate":"a:{x}","name":"x"}]}`, `{"resourceTemplates":[{"uriTemplate":"b:{x}","name":"x"}]}`, `{"resourceTemplates":[]}`},
		"RESOURCE_SAME_MIME_TYPE":    {`{"resources":[{"uri":"a:1","mimeType":"text/plain"}]}`, `{"resources":[{"uri":"a:1","mimeType":"text/html"}]}`, `{"resources":[{"uri":"a:1","mimeType":"text/plain","size":3}]}`},

		"SERVER_CAPABILITY_NO_DELETE": {server(`"capabilities":{"tools":{},"logging":{}}`), server(`"capabilities":{"tools":{}}`), server(`"capabilities":{"logging":{},"tools":{},"completions":{}}`)},
		"LIST_CHANGED_NO_DELETE":      {server(`"capabilities":{"tools":{"listChanged":true}}`), server(`"capabilities":{"tools":{"listChanged":false}}`), `{"tools":[]}`},
		"PROTOCOL_NO_LOWER":           {server(`"protocolVersion":"2025-06-18"`), server(`"protocolVersion":"2025-03-26"`), server(`"protocolVersion":"2025-11-25"`)},
		"SERVER_CHANGED":              {server(`"serverInfo":{"name":"x","version":"1"}`), server(`"serverInfo":{"name":"x","version":"2"}`), server(`"serverInfo":{"version":"1","name":"x"}`)},
	}
	triggers := func(was, now, rule string) bool {
		a, errA := remote.Decode([]byte(was))
		b, errB := remote.Decode([]byte(now))
		if errA != nil || errB != nil {
			t.Fatal(rule, errA, errB)
		}
		return slices.ContainsFunc(Compare(a, b), func(f Finding) bool { return f.Rule == rule })
	}
	for _, r := range Rules() {
		f, ok := fixtures[r.ID]
		delete(fixtures, r.ID)
		switch {
		case !ok:
			t.Errorf("%s has no fixture", r.ID)
		case !triggers(f.was, f.now, r.ID):
			t.Errorf("%s is not triggered", r.ID)
		case triggers(f.was, f.close, r.ID):
			t.Errorf("%s is triggered by what only comes close", r.ID)
		}
		if r.Doc == "" || r.Severity == "" {
			t.Errorf("%s says too little", r.ID)
		}
	}
	for id := range fixtures {
		t.Errorf("%s is no rule", id)
	}
}
