package attacks_test

import (
	"encoding/base64"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app"
)

// noEvaluate is a server that runs no script of its caller.
var noEvaluate = &server{own: true, config: func(string) app.Config {
	return app.Config{Surface: toolkit.Options{AllTools: true, DisableSurfaces: []string{toolset.SurfaceEvaluate}}}
}}

// noScriptTool is a server whose operator excludes the tool that runs script of the caller, and says no more.
var noScriptTool = &server{own: true, config: func(string) app.Config {
	return app.Config{Surface: toolkit.Options{AllTools: true, ExcludeTools: []string{"javascript_tool"}}}
}}

// scriptAddresses are addresses whose page is a script in the address.
var scriptAddresses = map[string]string{
	"javascript":       "javascript:document.title='ran'",
	"javascript_case":  " JaVaScRiPt:document.title='ran'",
	"javascript_tab":   "java\tscript:document.title='ran'",
	"data_html":        "data:text/html,<script>document.title='ran'</script>",
	"data_html_base64": "data:text/html;base64," + base64.StdEncoding.EncodeToString([]byte("<script>document.title='ran'</script>")),
	"data_case":        "DATA:Text/HTML,<script>document.title='ran'</script>",
	"data_charset":     "data:text/html;charset=utf-8,<script>document.title='ran'</script>",
	"data_svg":         "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='document.title=1'/>",
	"data_xhtml":       "data:application/xhtml+xml,<html xmlns='http://www.w3.org/1999/xhtml'><script>document.title='ran'</script></html>",
	"data_xml":         "data:text/xml,<x xmlns='http://www.w3.org/1999/xhtml'><script>document.title='ran'</script></x>",
	"data_space":       "data: text/html,<script>document.title='ran'</script>",
	"blob":             "blob:http://evil.example/0",
	"filesystem":       "filesystem:http://evil.example/temporary/x.html",
	"view_source":      "view-source:data:text/html,<script>document.title='ran'</script>",
	"chrome":           "chrome://version",
	"devtools":         "devtools://devtools/bundled/inspector.html",
	"about_srcdoc":     "about:srcdoc",
	"file":             "file:///etc/passwd",
}

// addressAttacks has one attack for each address.
func addressAttacks() (rows []attack) {
	for name, address := range scriptAddresses {
		rows = append(rows, attack{
			name: "evaluate_" + name, about: "under --no-evaluate, script of the caller runs as a page with the address " + address,
			with: noEvaluate, on: []transport{overStdio, overHTTP},
			run: func(c *client) {
				c.refused("POLICY_DENIED", "navigate", args{"url": address})
				c.refused("POLICY_DENIED", "tabs_create", args{"url": address})
			},
		})
	}
	return rows
}

var _ = add(addressAttacks()...)

var _ = add(
	attack{
		name: "evaluate_tool", about: "under --no-evaluate, a client calls the tool that runs script", with: noEvaluate, on: []transport{overStdio, overHTTP},
		run: func(c *client) {
			c.ok("navigate", args{"url": "about:blank"})
			c.refused("TOOL_DISABLED", "javascript_tool", args{"code": "1"})
		},
	},
	attack{
		name: "evaluate_excluded", about: "under --exclude-tools javascript_tool, a client runs script by other tools", with: noScriptTool, on: []transport{overHTTP},
		run: func(c *client) {
			c.refused("POLICY_DENIED", "navigate", args{"url": "data:text/html,<script>document.title='ran'</script>"})
			c.ok("navigate", args{"url": "about:blank"})
			c.refused("TOOL_DISABLED", "javascript_tool", args{"code": "1"})
			c.refused("POLICY_DENIED", "wait_for", args{"type": "function", "value": "true"}, "--exclude-tools javascript_tool")
			c.ok("wait_for", args{"type": "timeout", "value": "1"})
			c.refused("POLICY_DENIED", "request_intercept", args{"action": "add", "pattern": "*", "do": "fulfill", "body": "x"}, "--exclude-tools")
			c.lacks(c.call("batch_execute", args{"tasks": []args{{"script": "6 * 7"}}}).text, "42")
		},
	},
	attack{
		name: "evaluate_text_stays", about: "under --no-evaluate, a plain data: page is still opened: it runs nothing", with: noEvaluate, on: []transport{overStdio, overHTTP},
		run: func(c *client) {
			c.ok("navigate", args{"url": "data:text/plain,<script>document.title='ran'</script>"})
			c.lacks(c.ok("tabs_context", nil), `"ran"`)
		},
	},
)
