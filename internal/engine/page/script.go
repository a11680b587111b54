package page

import (
	"embed"
	"strings"
	"sync"
)

//go:embed js/*.js
var sources embed.FS

// modules is the order in which the script's parts are joined; later ones use
// earlier ones while they load, all use all when they run.
var modules = [...]string{
	"dom", "role", "generated_content", "name", "state", "registry", "remote_frames", "closed_shadow", "scan", "outline", "read", "style",
	"overview", "structured_data", "find", "query", "select", "suggest_selectors", "mutations", "interactions", "hidden", "mask_secrets",
	"page_secrets", "effect", "identity", "input_interceptor", "actionability", "drag", "edit", "options", "element_state", "engine",
}

// script is the engine as one expression. Its value is the entry function; a
// second evaluation in the same document answers with the first one's. An element
// or a frame with that name is a property too, but not the world's own.
var script = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("(() => { 'use strict'; if (Object.hasOwn(globalThis, 'callsheetEngine')) return globalThis.callsheetEngine;\n")
	for _, name := range modules {
		text, err := sources.ReadFile("js/" + name + ".js")
		if err != nil {
			panic("page: embedded script " + name + " is missing: " + err.Error())
		}
		b.Write(text)
	}
	b.WriteString("\nObject.defineProperty(globalThis, 'callsheetEngine', { value: engine }); return engine; })()\n//# sourceURL=callsheet:engine")
	return b.String()
})
