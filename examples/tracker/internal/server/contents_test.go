package server

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

// withIssue makes a project with an issue, and selects it.
func (c client) withIssue(project, title string) {
	c.t.Helper()
	c.call("project_create", map[string]any{"name": project})
	c.call("project_select", map[string]any{"name": project})
	if got := c.call("issue_create", map[string]any{"title": title}); !strings.Contains(got, `"number":1`) {
		c.t.Fatalf("the issue: %s", got)
	}
}

// prompt returns the text of the prompt triage, or the error.
func (c client) prompt(args map[string]string) string {
	c.t.Helper()
	got, err := c.GetPrompt(c.t.Context(), &mcp.GetPromptParams{Name: "triage", Arguments: args})
	if err != nil {
		return err.Error()
	}
	text, _ := got.Messages[0].Content.(*mcp.TextContent)
	return text.Text
}

// read returns the text of a resource, or the error.
func (c client) read(uri string) string {
	c.t.Helper()
	got, err := c.ReadResource(c.t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return err.Error()
	}
	return got.Contents[0].MIMEType + " " + got.Contents[0].Text
}

// completes lists the values that complete an argument.
func (c client) completes(ref *mcp.CompleteReference, name, value string, known map[string]string) []string {
	c.t.Helper()
	got, err := c.Complete(c.t.Context(), &mcp.CompleteParams{
		Ref: ref, Argument: mcp.CompleteParamsArgument{Name: name, Value: value}, Context: &mcp.CompleteContext{Arguments: known},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return got.Completion.Values
}

// TestPrompt gets the prompt that the manifest declares, where its predicate holds.
func TestPrompt(t *testing.T) {
	for _, era := range toolkittest.Revisions() {
		t.Run(era, func(t *testing.T) {
			s, url := tracker(t)
			c := connect(t, s, url, "ada", era)
			if got := c.prompt(map[string]string{"number": "1"}); !strings.Contains(got, "it needs has_issues") {
				t.Errorf("without an issue: %s", got)
			}
			c.withIssue("web", "The cart forgets its items")
			list, err := c.ListPrompts(t.Context(), nil)
			if err != nil || len(list.Prompts) != 1 || list.Prompts[0].Title != "Triage an issue" || !list.Prompts[0].Arguments[0].Required {
				t.Fatalf("%+v %v", list, err)
			}
			for _, test := range []struct {
				args map[string]string
				want string
			}{
				{map[string]string{"number": "1"}, "the next steps for this issue.\n\n#1 The cart forgets its items"},
				{map[string]string{"number": "1", "depth": "brief"}, "in one sentence.\n\n#1 "},
				{map[string]string{"number": "2"}, "no such issue"},
				{map[string]string{"number": "1", "depth": "long"}, `"depth" is "long", and may be brief, thorough`},
				{map[string]string{}, `"number" is required`},
			} {
				if got := c.prompt(test.args); !strings.Contains(got, test.want) {
					t.Errorf("%v: %s, want %s", test.args, got, test.want)
				}
			}
			ref := &mcp.CompleteReference{Type: "ref/prompt", Name: "triage"}
			if got := c.completes(ref, "depth", "T", nil); !slices.Equal(got, []string{"thorough"}) {
				t.Errorf("depth is completed by %q", got)
			}
			if got := c.completes(ref, "number", "", nil); !slices.Equal(got, []string{"1"}) {
				t.Errorf("number is completed by %q", got)
			}
		})
	}
}

// TestResources reads the resources that the manifest declares, each person their own.
func TestResources(t *testing.T) {
	for _, era := range toolkittest.Revisions() {
		t.Run(era, func(t *testing.T) {
			s, url := tracker(t)
			ada, bob := connect(t, s, url, "ada", era), connect(t, s, url, "bob", era)
			ada.withIssue("web", "A secret of Ada")
			list, err := ada.ListResources(t.Context(), nil)
			if err != nil || len(list.Resources) != 1 || list.Resources[0].Annotations.Priority != 0.5 {
				t.Fatalf("%+v %v", list, err)
			}
			templates, err := ada.ListResourceTemplates(t.Context(), nil)
			if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != "tracker://projects/{project}/issues/{number}" {
				t.Fatalf("%+v %v", templates, err)
			}
			const issue = "tracker://projects/web/issues/1"
			for _, test := range []struct {
				who       client
				uri, want string
			}{
				{ada, "tracker://projects", `application/json [{"name":"web","open_issues":1}]`},
				{ada, issue, "text/markdown #1 A secret of Ada (open, priority normal)"},
				{ada, "tracker://projects/web/issues/2", "resource not found"},
				{ada, "tracker://projects/web/issues/one", "resource not found"},
				{bob, "tracker://projects", `application/json []`},
				{bob, issue, "resource not found"},
			} {
				if got := test.who.read(test.uri); !strings.Contains(got, test.want) {
					t.Errorf("%s: %s, want %s", test.uri, got, test.want)
				}
			}
			ref := &mcp.CompleteReference{Type: "ref/resource", URI: "tracker://projects/{project}/issues/{number}"}
			if got := ada.completes(ref, "project", "w", nil); !slices.Equal(got, []string{"web"}) {
				t.Errorf("project is completed by %q", got)
			}
			if got := ada.completes(ref, "number", "", map[string]string{"project": "web"}); !slices.Equal(got, []string{"1"}) {
				t.Errorf("number is completed by %q", got)
			}
			if got := bob.completes(ref, "project", "", nil); len(got) > 0 {
				t.Errorf("Bob's projects are completed by %q", got)
			}
		})
	}
}

// TestListsAreTheSnapshots holds the lists of a session in each scenario against the files that reviewers see.
func TestListsAreTheSnapshots(t *testing.T) {
	s, _ := tracker(t)
	for _, scenario := range s.surface.Registry().Scenarios {
		session := s.surface.NewSession(scenario.Name, nil)
		session.Replace(scenario.Facts)
		prompts, _ := session.PromptList()
		for method, got := range map[string]string{
			"prompts_list":            string(prompts),
			"resources_list":          "[" + strings.Join(session.ResourceEntries(false), ",") + "]",
			"resource_templates_list": "[" + strings.Join(session.ResourceEntries(true), ",") + "]",
		} {
			want, err := os.ReadFile("../../generated/snapshot/" + method + "." + scenario.Name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			if got+"\n" != string(want) {
				t.Errorf("%s in %s is %s, not %s", method, scenario.Name, got, want)
			}
		}
	}
}
