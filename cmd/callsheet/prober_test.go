package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/generated/toolset"
)

// theirs lists the tools of playwright-mcp, as competitors.yaml has them from playwright-mcp
// itself.
func theirs(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("../../manifest/competitors.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(data), "    tools:\n")
	var out []string
	for line := range strings.Lines(list) {
		if name, ok := strings.CutPrefix(line, "      - "); ok {
			out = append(out, strings.TrimSpace(name))
		}
	}
	if len(out) != 25 {
		t.Fatalf("%d names", len(out))
	}
	return out
}

func probe(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, id, tool)
}

// envelopes are the results of the deferred tools: the fields of the founding document, in its order.
func envelopes() map[string]string {
	out := map[string]string{}
	for _, row := range [][4]string{
		{"browser_back", "planned: go back in the active tab's history via MCP (CLI already covers this)", "callsheet back", "playwright-mcp:browser_navigate_back"},
		{"browser_extract_text", "planned: text of the active tab via MCP (a snapshot's interactive output already shows it)",
			"callsheet snapshot --interactive", "playwright-mcp:browser_snapshot"},
		{"browser_forward", "planned: go forward in the active tab's history via MCP (CLI already covers this)", "callsheet forward",
			"playwright-mcp: none (its default list goes back in history but not forward)"},
		{"browser_navigate", "planned: navigate the active tab to a URL via MCP (CLI already covers this)", "callsheet navigate <url>",
			"playwright-mcp:browser_navigate"},
		{"browser_reload", "planned: reload the active tab via MCP (CLI already covers this)", "callsheet reload", "playwright-mcp:browser_navigate"},
		{"browser_screenshot", "planned: picture of the active tab via MCP, with a policy on files (CLI already covers this)",
			"callsheet screenshot --out <path>", "playwright-mcp:browser_take_screenshot"},
		{"browser_type_ref", "planned: type into an element ref via MCP (input validation surface still hardening)",
			`callsheet type <ref> --text \"…\"`, "playwright-mcp:browser_type"},
		{"browser_wait_for", "planned: wait for an element ref or a text via MCP (wait policy and boundaries not final)",
			"callsheet wait-for <ref-or-text>", "playwright-mcp:browser_wait_for"},
	} {
		out[row[0]] = `{"ok":false,"code":"capability.unsupported","tool":"` + row[0] + `","reason":"` + row[1] + `","cliEquivalent":"` + row[2] +
			`","competitorRef":"` + row[3] + `","since":"phase22","scope":"browser","mcpScope":"frozen"}`
	}
	return out
}

// probed is the response to one call.
type probed struct {
	Result *struct {
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		Content           []struct{ Text string }
	}
	Error *struct{ Code int }
}

func decodeProbe(t *testing.T, answer string) probed {
	t.Helper()
	var out probed
	if err := json.Unmarshal([]byte(answer), &out); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	return out
}

// isEnvelope holds an answer against a record, byte for byte, in both of the places it is sent.
func isEnvelope(t *testing.T, how, tool, answer, want string) {
	t.Helper()
	p := decodeProbe(t, answer)
	switch {
	case p.Result == nil || !p.Result.IsError:
		t.Errorf("%s: %s answers %s", how, tool, answer)
	case string(p.Result.StructuredContent) != want:
		t.Errorf("%s: %s answers\n%s, want\n%s", how, tool, p.Result.StructuredContent, want)
	case len(p.Result.Content) != 1 || p.Result.Content[0].Text != want:
		t.Errorf("%s: the text of %s is %q", how, tool, p.Result.Content)
	}
}

// TestDeferredToolsAnswerWithTheirRecord in every scope, under every filter, over both transports
// and in both eras.
func TestDeferredToolsAnswerWithTheirRecord(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{
		nil, {"--scope", "browser", "--headless"}, {"--tools-only", "storage"}, {"--read-only"}, {"--slim"}, {"--profile", "control_plane"}, {"--visibility", "static"},
	} {
		url := serveHTTP(t, flags...)
		for tool, want := range envelopes() {
			isEnvelope(t, fmt.Sprintf("bare, %v", flags), tool, overHTTP(t, url, "bare", probe(1, tool)), want)
		}
		const tool = toolset.DeferredBrowserNavigate
		isEnvelope(t, fmt.Sprintf("sessions, %v", flags), tool, overStdio(t, flags, initialize, ready, probe(1, tool)), envelopes()[tool])
		modern := strings.Replace(listModern, `"tools/list","params":{`, `"tools/call","params":{"name":"`+tool+`","arguments":{},`, 1)
		isEnvelope(t, fmt.Sprintf("stateless, %v", flags), tool, overStdio(t, flags, modern), envelopes()[tool])
	}
}

// TestAProberIsNeverMisled calls all that another product offers, and names that are properties of
// every object elsewhere.
func TestAProberIsNeverMisled(t *testing.T) {
	t.Parallel()
	records := envelopes()
	for _, scope := range []string{"browser", "default"} {
		flags := []string{"--scope", scope}
		url := serveHTTP(t, flags...)
		listed := names(t, overHTTP(t, url, "bare", listOld))
		if scope == "browser" && !slices.Equal(listed, []string{toolset.ToolBrowserClickRef, toolset.ToolBrowserSnapshot}) {
			t.Errorf("scope browser lists %v", listed)
		}
		known := map[string]int{}
		for _, name := range append(theirs(t), "constructor", "__proto__", "toString", "hasOwnProperty", "browser_", "BROWSER_BACK", "browser_back ") {
			if slices.Contains(listed, name) {
				known["listed"]++ // calling it would start a browser; only its place in the list counts here
				continue
			}
			answer := overHTTP(t, url, "bare", probe(1, name))
			if want, deferred := records[name]; deferred {
				known["deferred"]++
				isEnvelope(t, scope, name, answer, want)
				continue
			}
			if p := decodeProbe(t, answer); p.Result != nil || p.Error == nil || p.Error.Code != -32602 {
				t.Errorf("scope %s: %s answers %s", scope, name, answer)
			}
		}
		if want := map[string]int{"browser": 1, "default": 0}; known["listed"] != want[scope] || known["deferred"] != 2 {
			t.Errorf("scope %s: of their names %v are known here", scope, known)
		}
	}
	answer := overStdio(t, nil, initialize, ready,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"expand_tools","arguments":{"query":"browser back forward reload"}}}`)
	for tool := range records {
		if strings.Contains(answer, tool) {
			t.Errorf("expand_tools speaks of %s: %s", tool, answer)
		}
	}
}

// TestControlPlaneExposesNoBrowserTool: by no name, no flag and no scope.
func TestControlPlaneExposesNoBrowserTool(t *testing.T) {
	t.Parallel()
	flags := []string{"--profile", "control_plane"}
	data, err := os.ReadFile("../../generated/snapshot/tools_list.control_plane.default.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := toolsOf(t, overStdio(t, append(slices.Clone(flags), "--visibility", "follow"), initialize, ready, listOld)); got != strings.TrimSpace(string(data)) {
		t.Errorf("the profile lists %s", got)
	}
	for _, name := range names(t, overStdio(t, append(flags, "--all-tools"), listModern)) {
		if name == toolset.ToolBrowserClickRef || name == toolset.ToolBrowserSnapshot {
			t.Errorf("it lists %s", name)
		}
	}
	for _, tool := range []string{toolset.ToolBrowserClickRef, toolset.ToolBrowserSnapshot} {
		if p := decodeProbe(t, overStdio(t, flags, initialize, ready, probe(1, tool))); p.Error == nil || p.Error.Code != -32602 {
			t.Errorf("%s answers %+v", tool, p.Result)
		}
	}
	out, err := command(t, "--profile", "control_plane", "--scope", "browser").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--profile") {
		t.Errorf("it serves the scope that it excludes: %s", out)
	}
	out, err = command(t, "--profile", "control_plain").CombinedOutput()
	if err == nil || !strings.Contains(string(out), `did you mean "control_plane"`) {
		t.Errorf("a profile that does not exist: %s", out)
	}
}
