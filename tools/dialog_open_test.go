package tools_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

const dialogPage = `<!doctype html><title>Dialogs</title><label>Name <input id="name"></label>
<button onclick="setTimeout(() => confirm('Sure?'), 0)">Ask</button><button onclick="window.open('/')">Popup</button>`

// behindDialog has the calls of each tool that works on a tab, and whether the page must answer them. Tools without an
// entry take no tab.
var behindDialog = map[string]struct {
	calls     []string
	unblocked bool // some of its calls need no answer of the page
}{
	"act":                     {calls: []string{`{"steps":[{"action":"click","query":"Name"}]}`}},
	"audit":                   {calls: []string{`{}`, `{"categories":["security"]}`, `{"categories":["accessibility"]}`}},
	"batch_paginate":          {calls: []string{`{"strategy":"click","nextSelector":"button","totalPages":2}`}},
	"computer":                {calls: []string{`{"action":"screenshot"}`, `{"action":"wait","duration":1}`, `{"action":"left_click","coordinate":[5,5]}`, `{"action":"key","text":"a"}`}},
	"console_capture":         {unblocked: true, calls: []string{`{}`, `{"action":"clear"}`}},
	"cookies":                 {calls: []string{`{"action":"get"}`, `{"action":"set","name":"a","value":"b"}`, `{"action":"delete","name":"a"}`, `{"action":"clear"}`}},
	"cpu_profile":             {unblocked: true, calls: []string{`{"action":"record","ms":100}`, `{"action":"start"}`, `{"action":"stop"}`}},
	"drag_drop":               {calls: []string{`{"query":"Ask","target_query":"Name"}`}},
	"emulate_device":          {calls: []string{`{"width":400,"height":400}`}},
	"emulate_environment":     {calls: []string{`{"colorScheme":"dark"}`, `{"timezone":"Europe/Paris"}`}},
	"extract_data":            {calls: []string{`{"schema":"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}"}`}},
	"file_upload":             {unblocked: true, calls: []string{`{"query":"Name","filePaths":["x"]}`}},
	"fill_form":               {calls: []string{`{"fields":[{"query":"Name","value":"x"}]}`}},
	"find":                    {calls: []string{`{"query":"Name"}`}},
	"form_input":              {calls: []string{`{"query":"Name","value":"x"}`}},
	"geolocation":             {calls: []string{`{"latitude":1,"longitude":1}`}},
	"heap_leaks":              {unblocked: true, calls: []string{`{"calls":[{"tool":"find","args":{"query":"Name"}}]}`}},
	"heap_snapshot":           {calls: []string{`{}`}},
	"http_auth":               {unblocked: true, calls: []string{`{"action":"set","username":"u","password":"p"}`, `{"action":"clear"}`}},
	"inspect":                 {calls: []string{`{"query":"form fields"}`}},
	"interact":                {calls: []string{`{"query":"Name"}`, `{"query":"Name","action":"hover"}`}},
	"javascript_tool":         {calls: []string{`{"code":"1"}`}},
	"lightweight_scroll":      {calls: []string{`{"direction":"down"}`}},
	"network":                 {calls: []string{`{"preset":"3g"}`, `{"preset":"offline"}`}},
	"network_capture_full":    {unblocked: true, calls: []string{`{"action":"start"}`, `{"action":"get"}`, `{"action":"har"}`, `{"action":"body","number":1}`, `{"action":"stop"}`, `{"action":"clear"}`}},
	"network_capture_lite":    {unblocked: true, calls: []string{`{"action":"start"}`, `{"action":"get"}`, `{"action":"stop"}`, `{"action":"clear"}`}},
	"oc_assert":               {unblocked: true, calls: []string{`{"contract":{"url":{"contains":"/"}},"timeout_ms":1000}`}},
	"oc_context_export":       {unblocked: true, calls: []string{`{}`}},
	"oc_devtools_url":         {unblocked: true, calls: []string{`{}`}},
	"oc_evidence_bundle":      {unblocked: true, calls: []string{`{}`}},
	"login":                   {calls: []string{`{"name":"shop"}`}},
	"oc_observe":              {calls: []string{`{}`}},
	"oc_performance_insights": {calls: []string{`{}`}},
	"page_content":            {calls: []string{`{}`}},
	"page_pdf":                {calls: []string{`{}`}},
	"page_screenshot":         {calls: []string{`{}`, `{"fullPage":true}`}},
	"page_clipboard":          {calls: []string{`{"action":"paste"}`}},
	"performance_metrics":     {calls: []string{`{}`}},
	"query_dom":               {calls: []string{`{"method":"css","selector":"input"}`}},
	"read_page":               {calls: []string{`{}`}},
	"request_intercept":       {unblocked: true, calls: []string{`{"action":"add","do":"block","pattern":"*x*"}`, `{"action":"list"}`, `{"action":"clear"}`}},
	"storage":                 {calls: []string{`{"storageType":"local","action":"keys"}`, `{"storageType":"session","action":"keys"}`, `{"storageType":"indexeddb","action":"keys"}`, `{"storageType":"cache","action":"keys"}`}},
	"styles":                  {calls: []string{`{"selector":"input"}`}},
	"user_agent":              {calls: []string{`{"custom":"x"}`}},
	"validate_page":           {calls: []string{`{}`}},
	"vision_find":             {calls: []string{`{}`}},
	"wait_for":                {calls: []string{`{"type":"text","value":"Name"}`, `{"type":"network_idle"}`}},
}

// answersDialogs are tools that replace or close the page with its dialog, and page_video, whose pictures come from
// the compositor.
var answersDialogs = []string{"dialog", "navigate", "page_reload", "tabs_close", "page_video", "worker"}

// callOthers are tools that call other tools, or work on what is stored.
var callOthers = []string{"batch_execute", "execute_plan", "heap_compare", "oc_context_import", "oc_pilot_handoff_create", "oc_pilot_handoff_redeem",
	"oc_pilot_run_with_recovery", "oc_skill_replay", "page_tool"}

// dialogShare is the share of its deadline after which a tool counts as waiting for the page.
const dialogShare = 10

// TestDialogRefusesAtOnce calls every tool that works on a tab while a dialog keeps the page from answering: where
// nothing was begun, where captures and a profile are, and in a popup of the page with the dialog.
func TestDialogRefusesAtOnce(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(dialogPage)) }))
	t.Cleanup(site.Close)
	for name, begun := range map[string][]string{
		"fresh": nil, "recording": {"network_capture_full", "network_capture_lite", "cpu_profile"}, "popup": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session, registry := newDispatcher(t)
			call := func(tool, args string) (toolkit.CallResult, time.Duration) {
				t.Helper()
				began := time.Now()
				res, err := session.Dispatch(t.Context(), toolkit.Request{Tool: tool, Args: json.RawMessage(args)})
				if err != nil {
					t.Fatalf("%s: %v", tool, err)
				}
				return res, time.Since(began)
			}
			must := func(tool, args string) {
				t.Helper()
				if res, _ := call(tool, args); res.Refused {
					t.Fatalf("%s %s: %s", tool, args, res.Content[0].Text)
				}
			}
			must("navigate", `{"url":"`+site.URL+`"}`)
			asks, tab := openTabs(t)[0], openTabs(t)[0]
			if name == "popup" {
				must("interact", `{"query":"Popup"}`)
				for len(openTabs(t)) < 2 {
					must("wait_for", `{"type":"timeout","value":"50","tabId":"`+asks+`"}`)
				}
				tab = openTabs(t)[1]
				must("wait_for", `{"type":"text","value":"Name","tabId":"`+tab+`"}`)
			}
			for _, tool := range begun {
				must(tool, `{"action":"start"}`)
			}
			must("interact", `{"query":"Ask","tabId":"`+asks+`"}`)
			for _, tool := range registry.Tools {
				if slices.Contains(answersDialogs, tool.Name) || slices.Contains(callOthers, tool.Name) || !slices.Contains(tool.Scopes, "default") || !strings.Contains(tool.Schema, `"tabId"`) {
					continue
				}
				row, known := behindDialog[tool.Name]
				if !known {
					t.Errorf("%s has no entry in the table", tool.Name)
				}
				for _, args := range row.calls {
					args = strings.Replace(args, "{", `{"tabId":"`+tab+`",`, 1)
					args = strings.Replace(args, `,}`, `}`, 1)
					res, took := call(tool.Name, args)
					if code := res.RefusalCode(); code == "INVALID_ARGUMENTS" || !row.unblocked && code != "DIALOG_OPEN" {
						t.Errorf("%s %s is not refused for the dialog: %s", tool.Name, args, res.Content[0].Text)
					}
					if took > tool.Timeout/dialogShare {
						t.Errorf("%s %s answers after %v of %v: %s", tool.Name, args, took, tool.Timeout, res.Content[0].Text)
					}
				}
			}
			must("dialog", `{"accept":true,"tabId":"`+asks+`"}`)
			for _, tool := range begun {
				must(tool, `{"action":"stop"}`)
			}
		})
	}
}

// openTabs lists the ids of the tabs of the test's client.
func openTabs(t *testing.T) (ids []string) {
	t.Helper()
	for _, tab := range tooltest.Shared.Connections.Set(t.Name()).List(t.Context())[0].Tabs {
		ids = append(ids, tab.ID)
	}
	return ids
}
