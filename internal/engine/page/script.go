package page

import (
	"embed"
	"strings"
	"sync"
)

//go:embed js/*.js
var sources embed.FS

// modules are the parts of the script in the order in which they are joined. Parts may use earlier
// parts while they load, and all parts when they run.
var modules = [...]string{
	"dom", "role", "generated_content", "name", "derived_name", "state", "registry", "remote_frames", "closed_shadow",
	"listeners", "drawn_editor", "painted", "scan",
	"typed", "outline", "outline_grid", "outline_run", "read", "style", "overview", "structured_data",
	"grid", "find", "find_in_row", "query", "select", "suggest_selectors",
	"mutations", "rest", "action_timers", "interactions", "hidden", "mask_secrets", "page_secrets", "effect", "identity", "consequence",
	"input_interceptor", "actionability", "drag", "drop_cover", "edit", "secret", "cell", "options", "field", "drawn_slider", "transfer_list", "transfer_step",
	"calendar", "element_state", "site_values", "request", "input_target", "engine",
}

// script returns the engine as one expression whose value is the entry function. A second
// evaluation in the same document returns the first one's. An element or a frame of that name is a
// property of the window too, but not an own one.
var script = sync.OnceValue(func() string {
	return "(() => { 'use strict';\n" +
		"if (Object.hasOwn(globalThis, 'callsheetEngine')) return globalThis.callsheetEngine;\n" +
		joinModules() +
		"\nObject.defineProperty(globalThis, 'callsheetEngine', { value: engine }); return engine; })()\n" +
		"//# sourceURL=callsheet:engine"
})

// ScriptWith returns a script that runs code beside the functions of the engine, once in a document. It
// is for an isolated world of its own: refs of its engine are no refs of a [Page]. name is the name of
// the script; the property of the world with "Runs" after it marks the script as run.
func ScriptWith(name, code string) string {
	return "(() => { 'use strict';\n" +
		"if (Object.hasOwn(globalThis, '" + name + "Runs')) return;\n" +
		"Object.defineProperty(globalThis, '" + name + "Runs', { value: true, configurable: true });\n" +
		joinModules() + "\n{\n" + code + "\n}\n})()\n//# sourceURL=callsheet:" + name
}

func joinModules() string {
	var b strings.Builder
	for _, name := range modules {
		text, err := sources.ReadFile("js/" + name + ".js")
		if err != nil {
			panic("page: embedded script " + name + " is missing: " + err.Error())
		}
		b.Write(text)
	}
	return b.String()
}
