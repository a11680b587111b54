package skill_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestSkills(t *testing.T) {
	t.Parallel()
	c, site := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeFlows(t)
	steps := []tooltest.Args{
		{"tool": "navigate", "args": `{"url":"` + site.URL + `/search.html"}`},
		{"tool": "fill_form", "args": `{"fields":[{"query":"Search products","value":"blue"}]}`},
		{"tool": "wait_for", "args": `{"type":"text","value":"Blue lamp"}`},
		{"tool": "interact", "args": `{"query":"Blue lamp link"}`},
	}
	kept := c.Expect("oc_skill_record", tooltest.Args{
		"name": "choose", "steps": steps, "domain": "HTTP://WWW.Shop.example:8080/x", "parameters": []string{"what=blue"},
		"contract": `{"dom_text":"Chose Blue lamp"}`, "description": "choose a lamp",
	}, "shop.example", "4 steps", "what=blue")
	_, kept, _ = strings.Cut(kept, "kept ")
	id := strings.Fields(kept)[0]
	c.Expect("oc_skill_replay", tooltest.Args{"skill": id}, "completed: 4 of 4 steps", "contract pass")
	c.Expect("oc_skill_replay", tooltest.Args{"skill": id, "tabId": currentTab(c), "params": []string{"what=Blue lamp"}}, "completed")
	again := c.Expect("oc_skill_record", tooltest.Args{"name": "choose", "steps": steps[:1], "domain": "shop.example"}, "without a contract")
	if !strings.Contains(again, "kept "+id+" ") {
		t.Errorf("the same name has ids %s and %s", id, again)
	}
	c.Call("oc_skill_record", tooltest.Args{"name": "other thing", "steps": steps[:1]})
	c.Expect("oc_skill_recall", nil, `"total":2`)
	c.Expect("oc_skill_recall", tooltest.Args{"domain": "www.shop.example", "steps": true}, `"total":1`, id, "navigate {")
	c.Expect("oc_skill_recall", tooltest.Args{"query": "the OTHER one", "limit": 1}, `"total":1`, "other thing")
	c.Expect("oc_skill_recall", tooltest.Args{"query": "nothing fits"}, `"skills":[]`)

	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_record", tooltest.Args{"name": "x"}, "recording", "steps")
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_record", tooltest.Args{"name": "x", "steps": []tooltest.Args{}})
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_record", tooltest.Args{"name": "x", "domain": "d", "steps": []tooltest.Args{
		{"tool": "navigat"}, {"tool": "navigate", "args": `{"urll":"x"}`}, {"tool": "interact", "args": `{"ref":"e1"}`},
	}}, "/steps/0/tool", "/steps/1/args", "urll", "/steps/2/args", "of one page only")
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_record", tooltest.Args{"name": "x", "steps": steps[2:3]}, "give domain")
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_record", tooltest.Args{"name": "x", "steps": steps, "contract": `{"dom_txt":"x"}`}, "/contract/dom_txt")
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_record", tooltest.Args{"name": "x", "steps": steps, "parameters": []string{"what", "1=2"}}, "name=value", "no name")
	c.ExpectRefusal("NOT_FOUND", "oc_skill_record", tooltest.Args{"name": "x", "recording": "rec-none"}, "rec-none")
	c.ExpectRefusal("NOT_FOUND", "oc_skill_replay", tooltest.Args{"skill": "nobody"}, "oc_skill_recall", id)
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_replay", tooltest.Args{"skill": id, "params": []string{"who=x"}}, "there is no parameter who")
	c.ExpectRefusal("NO_TAB", "oc_skill_replay", tooltest.Args{"skill": id, "tabId": "t999999"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_replay", tooltest.Args{"skill": id, "waitForMs": 1})
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_recall", tooltest.Args{"limit": 0})
}
