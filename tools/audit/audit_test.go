package audit_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/audit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// planted are the defects of testdata/broken.html and of its response, by category.
func planted() map[audit.Category][]string {
	return map[audit.Category][]string{
		audit.Accessibility: {
			"aria-roles", "button-name", "color-contrast", "frame-title", "heading-order", "html-has-lang", "image-alt", "label", "link-name",
			"list", "select-name",
		},
		audit.SEO: {
			"canonical", "crawlable-anchors", "hreflang", "is-crawlable", "link-text", "meta-description", "structured-data",
		},
		audit.BestPractices: {
			"charset", "console-errors", "deprecated-apis", "doctype", "font-size", "image-aspect-ratio", "image-broken", "tap-targets", "viewport",
		},
		audit.Security:   {"cookie-flags", "csp", "frame-options", "insecure-form", "nosniff", "referrer-policy"},
		audit.UnusedCode: {"unused-css", "unused-javascript"},
	}
}

// report reads the JSON report of an answer.
func report(t *testing.T, c tooltest.Client, answer string) audit.Report {
	t.Helper()
	uri := regexp.MustCompile(`(callsheet://\S+) \(JSON\)`).FindStringSubmatch(answer)
	if uri == nil {
		t.Fatalf("no report in %s", answer)
	}
	var r audit.Report
	if err := json.Unmarshal([]byte(c.ReadArtifact(uri[1])), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func foundIn(r audit.Report, category audit.Category) []string {
	var ids []string
	for _, f := range r.Findings {
		if f.Category == category {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func TestPlantedDefects(t *testing.T) {
	t.Parallel()
	home, c := serveSite(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home + "/broken"})
	answer := c.Call("audit", tooltest.Args{"reload": true})
	t.Log(answer)
	r := report(t, c, answer)
	total := 0
	for category, want := range planted() {
		total += len(want)
		if got := foundIn(r, category); !slices.Equal(got, want) {
			t.Errorf("%s: found %v\nplanted %v", category, got, want)
		}
	}
	t.Logf("%d planted defects", total)
	if len(r.Unknown) > 0 {
		t.Errorf("not judged: %+v", r.Unknown)
	}
	for _, uri := range regexp.MustCompile(`callsheet://[^ ]+`).FindAllString(answer, -1) {
		answer += c.ReadArtifact(uri)
	}
	if strings.Contains(answer, "planted-secret") {
		t.Error("the answer or a report has the value of a cookie or of a password")
	}
}

func TestCleanPage(t *testing.T) {
	t.Parallel()
	home, c := serveSite(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home + "/clean"})
	answer := c.Expect("audit", tooltest.Args{"reload": true}, "no findings", "not computed here: performance scores", "performance_metrics")
	r := report(t, c, answer)
	if len(r.Findings) > 0 || len(r.Unknown) > 0 || r.Documents != 2 {
		t.Errorf("%+v in\n%s", r, answer)
	}
	if len(r.Passed[audit.Accessibility]) < 15 {
		t.Errorf("few rules of axe have passed: %v", r.Passed)
	}
}

// TestToolIsFound checks that the tool is off the default list, found by words, and listed alone on request.
func TestToolIsFound(t *testing.T) {
	t.Parallel()
	listed := func(c tooltest.Client) []string {
		var names []string
		for tool, err := range c.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		return names
	}
	c := tooltest.Connect(t, toolkit.Options{})
	if slices.Contains(listed(c), "audit") {
		t.Error("the default list has the tool")
	}
	c.Expect("expand_tools", tooltest.Args{"query": "accessibility audit of the page"}, "now callable: audit")
}
