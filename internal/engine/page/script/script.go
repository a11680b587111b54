// Package script holds the code that readings and actions run in a page. It knows no Go type of the
// engine: package page injects it and decodes its responses.
package script

import (
	"embed"
	"strings"
	"sync"
)

//go:embed engine.js dom document settle read locate input widget
var sources embed.FS

// modules are the parts of the script in the order in which they are joined. Parts may use earlier
// parts while they load, and all parts when they run.
var modules = [...]string{
	"dom/dom", "dom/role", "dom/generated_content", "dom/name", "dom/derived_name", "dom/state", "document/registry",
	"document/remote_frames", "dom/closed_shadow", "dom/listeners", "dom/drawn_editor", "dom/painted", "dom/scan",
	"read/typed", "read/outline", "read/outline_grid", "read/outline_run", "read/read", "read/style", "read/overview",
	"read/structured_data", "locate/grid", "locate/find", "locate/find_in_row", "locate/query", "locate/select",
	"locate/suggest_selectors", "settle/mutations", "settle/rest", "settle/action_timers", "settle/interactions",
	"settle/hidden", "document/mask_secrets", "document/page_secrets", "settle/effect", "locate/identity",
	"locate/consequence", "input/input_interceptor", "input/actionability", "input/drag", "input/drop_cover",
	"input/edit", "input/secret", "widget/cell", "widget/options", "locate/field", "widget/drawn_slider",
	"widget/transfer_list", "widget/transfer_step", "widget/calendar", "locate/element_state", "locate/site_values",
	"input/request", "input/input_target", "engine",
}

// Engine returns the engine as one expression whose value is the entry function. A second evaluation
// in the same document returns the first one's. An element or a frame of that name is a property of
// the window too, but not an own one.
var Engine = sync.OnceValue(func() string {
	return "(() => { 'use strict';\n" +
		"if (Object.hasOwn(globalThis, 'callsheetEngine')) return globalThis.callsheetEngine;\n" +
		joinModules() +
		"\nObject.defineProperty(globalThis, 'callsheetEngine', { value: engine }); return engine; })()\n" +
		"//# sourceURL=callsheet:engine"
})

// InputBarrier blocks input in a document that replaces the target document of an action.
//
//go:embed input/input_barrier.js
var InputBarrier string

// Delegated finds the elements whose handlers a framework calls from a listener of its own at the
// root: it leaves them in properties of the elements, which only the page's own world sees.
//
//go:embed input/delegated.js
var Delegated string

// With returns a script that runs code beside the functions of the engine, once in a document. It is
// for an isolated world of its own: its refs are unknown to [Engine] of the same document. name is the
// name of the script; the property of the world with "Runs" after it marks the script as run.
func With(name, code string) string {
	return "(() => { 'use strict';\n" +
		"if (Object.hasOwn(globalThis, '" + name + "Runs')) return;\n" +
		"Object.defineProperty(globalThis, '" + name + "Runs', { value: true, configurable: true });\n" +
		joinModules() + "\n{\n" + code + "\n}\n})()\n//# sourceURL=callsheet:" + name
}

func joinModules() string {
	var b strings.Builder
	for _, name := range modules {
		text, err := sources.ReadFile(name + ".js")
		if err != nil {
			panic("script: embedded module " + name + " is missing: " + err.Error())
		}
		b.Write(text)
	}
	return b.String()
}
