package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/remote"
	"github.com/callsheet/callsheet/gen/toolkit/offered"
)

func read(t testing.TB, file string) *offered.Server {
	t.Helper()
	s, err := remote.Read(t.Context(), remote.Source{File: filepath.Join("testdata", file)}, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serious lists the findings that are no infos, as "kind name path RULE".
func serious(findings []Finding) []string {
	out := []string{}
	for _, f := range findings {
		if f.Severity != diag.Info {
			out = append(out, strings.Join(strings.Fields(f.Name+" "+f.Path+" "+f.Rule), " "))
		}
	}
	slices.Sort(out)
	return out
}

// What a person finds who lays two released versions beside each other, parameter by parameter. The lists were
// captured from the published packages.
func TestPublishedServers(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"chrome-devtools-mcp 0.12.1 0.26.0": {
			"close_page pageId PARAM_NO_NEW_REQUIRED", "close_page pageIdx PARAM_NO_DELETE", // pageIdx is called pageId
			"emulate geolocation PARAM_SAME_TYPE", "emulate geolocation PARAM_SAME_TYPE", // an object or null is a string
			"emulate networkConditions PARAM_ENUM_NO_NARROW", // "No emulation" is gone
			"evaluate_script args[] PARAM_SAME_TYPE",         // objects are strings
			"get_network_request readOnlyHint ANNOTATION_NO_WEAKER",
			"performance_start_trace readOnlyHint ANNOTATION_NO_WEAKER",
			"performance_stop_trace readOnlyHint ANNOTATION_NO_WEAKER",
			"select_page pageId PARAM_NO_NEW_REQUIRED", "select_page pageIdx PARAM_NO_DELETE",
			"wait_for text PARAM_SAME_TYPE", // a string is a list
		},
		"playwright-mcp 0.0.64 0.0.83": {
			"browser_click ref PARAM_NO_DELETE", "browser_click target PARAM_NO_NEW_REQUIRED",
			"browser_drag endRef PARAM_NO_DELETE", "browser_drag endTarget PARAM_NO_NEW_REQUIRED",
			"browser_drag startRef PARAM_NO_DELETE", "browser_drag startTarget PARAM_NO_NEW_REQUIRED",
			"browser_evaluate ref PARAM_NO_DELETE",
			"browser_fill_form fields[].ref PARAM_NO_DELETE", "browser_fill_form fields[].target PARAM_NO_NEW_REQUIRED",
			"browser_hover ref PARAM_NO_DELETE", "browser_hover target PARAM_NO_NEW_REQUIRED",
			"browser_install TOOL_NO_DELETE",
			"browser_network_requests includeStatic PARAM_NO_DELETE", "browser_network_requests static PARAM_NO_NEW_REQUIRED",
			"browser_run_code TOOL_NO_DELETE",
			"browser_select_option ref PARAM_NO_DELETE", "browser_select_option target PARAM_NO_NEW_REQUIRED",
			"browser_take_screenshot ref PARAM_NO_DELETE", "browser_take_screenshot scale PARAM_NO_NEW_REQUIRED",
			"browser_type ref PARAM_NO_DELETE", "browser_type target PARAM_NO_NEW_REQUIRED",
		},
		"server-everything 2026.1.26 2026.8.31": {}, // annotations and descriptions only
	} {
		part := strings.Fields(name)
		was, now := read(t, "npm/"+part[0]+"-"+part[1]+".json"), read(t, "npm/"+part[0]+"-"+part[2]+".json")
		if d := cmp.Diff(want, serious(Compare(was, now))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// The reports are those under testdata/golden; UPDATE_GOLDEN writes them.
func TestReports(t *testing.T) {
	t.Parallel()
	was, now := read(t, "golden/old.json"), read(t, "golden/new.json")
	data, err := os.ReadFile("testdata/golden/new.json")
	if err != nil {
		t.Fatal(err)
	}
	findings, idle := Ignore(Compare(was, now), []string{"TOOL_NO_DELETE:ignored", "PROMPT_NO_DELETE:none"})
	if !slices.Equal(idle, []string{"PROMPT_NO_DELETE:none"}) {
		t.Errorf("idle: %q", idle)
	}
	Locate(findings, now, "lists/new.json", data)
	report := NewReport(SideOf("old.json", was), SideOf("lists/new.json", now), findings, "error")
	report.Skipped = Skipped(was, now)
	for _, format := range []diag.Format{diag.Text, diag.JSON, diag.GitHub} {
		var b bytes.Buffer
		if err := report.Fprint(&b, format); err != nil {
			t.Fatal(err)
		}
		file := "testdata/golden/report." + string(format)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for limit, want := range map[string]bool{"error": false, "warning": true, "info": true, "never": false} {
		if got := Fails([]Finding{{Severity: diag.Info}, {Severity: diag.Warning}}, limit); got != want {
			t.Errorf("%s: %v", limit, got)
		}
	}
}

// jumble is a JSON value with other words in descriptive keywords, and with the members of objects and the
// entries of sets in another order.
func jumble(v any, r *rand.Rand, inSchema bool) string {
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		var b strings.Builder
		for i, name := range names {
			if i > 0 {
				b.WriteString(", ")
			}
			child := v[name]
			text, isText := child.(string)
			switch {
			case isText && (name == "description" || name == "title"):
				child = fmt.Sprint(text, r.IntN(100))
			case inSchema && (name == "required" || name == "enum" || name == "anyOf" || name == "type"):
				if list, ok := child.([]any); ok {
					list = slices.Clone(list)
					r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
					child = list
				}
			}
			key, _ := json.Marshal(name)
			b.WriteString(string(key) + ": " + jumble(child, r, inSchema || strings.HasSuffix(name, "Schema")))
		}
		return "{" + b.String() + "}"
	case []any:
		var out []string
		for _, child := range v {
			out = append(out, jumble(child, r, inSchema))
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// A list in another order and with other words gives neither an error nor a warning.
func TestOrderAndWordsDoNotCount(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*/*.json")
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "report.json" })
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		file := rapid.SampledFrom(files).Draw(rt, "file")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		was := read(t, strings.TrimPrefix(filepath.ToSlash(file), "testdata/"))
		now := *was
		for _, list := range []*[]offered.Item{&now.Tools, &now.Prompts, &now.Resources, &now.Templates} {
			*list = slices.Clone(*list)
			r.Shuffle(len(*list), func(i, j int) { (*list)[i], (*list)[j] = (*list)[j], (*list)[i] })
			for i := range *list {
				var v any
				if err := json.Unmarshal((*list)[i].Raw, &v); err != nil {
					rt.Fatal(err)
				}
				(*list)[i].Raw = json.RawMessage(jumble(v, r, false))
			}
		}
		for _, f := range Compare(was, &now) {
			if f.Rule != textChanged {
				rt.Fatalf("%s: %+v", file, f)
			}
		}
	})
}

// large is a list of n tools made of a published one's.
func large(t testing.TB, file string, n int) *offered.Server {
	s := read(t, file)
	out := &offered.Server{}
	for i := range n {
		item := s.Tools[i%len(s.Tools)]
		name := fmt.Sprintf("%s_%d", item.Name, i)
		raw := strings.Replace(string(item.Raw), `"name":"`+item.Name+`"`, `"name":"`+name+`"`, 1)
		out.Tools = append(out.Tools, offered.Item{Name: name, Raw: json.RawMessage(raw)})
	}
	return out
}

// BenchmarkCompare compares lists of 1,000 tools each: alike but for what a year of releases changed, and
// with no tool in common.
func BenchmarkCompare(b *testing.B) {
	was, now := large(b, "npm/chrome-devtools-mcp-0.12.1.json", 1000), large(b, "npm/chrome-devtools-mcp-0.26.0.json", 1000)
	other := large(b, "npm/playwright-mcp-0.0.83.json", 1000)
	b.Run("same names", func(b *testing.B) {
		for b.Loop() {
			Compare(was, renamedAs(now, was))
		}
	})
	b.Run("no name in common", func(b *testing.B) {
		for b.Loop() {
			Compare(was, other)
		}
	})
}

// renamedAs gives the tools of one list the names of another's.
func renamedAs(now, names *offered.Server) *offered.Server {
	out := &offered.Server{}
	for i, item := range now.Tools {
		item.Name = names.Tools[i].Name
		out.Tools = append(out.Tools, item)
	}
	return out
}
