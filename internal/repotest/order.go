package repotest

import "strings"

// Layers are the layers of internal/ from the top down. A package may import packages of its own layer
// and of layers in later rows; the layers of one row are independent of each other.
var Layers = [][]string{
	{"internal/repotest"},
	{"internal/tooltest"},
	{"internal/app"},
	{"internal/ui"},
	{"internal/result"},
	{"internal/site"},
	{"internal/record", "internal/work", "internal/workflow", "internal/cli", "internal/policy"},
	{"internal/session"},
	{"internal/webmcp"},
	{"internal/engine"},
	{"internal/login"},
	{"internal/storage"},
	{"internal/fault", "internal/text", "internal/proctest", "internal/powertest", "internal/jsbundle"},
}

// EngineLayers orders the packages inside of the layer internal/engine from the top down. A package may import packages
// of later rows only. A row that ends in /... covers the packages below it, which may import each other.
var EngineLayers = [][]string{
	{"performance", "page/pagetest"},
	{"audit"},
	{"browser/browsertest", "browser/pool", "emulation", "heap", "network", "styles", "video", "webmcp"},
	{"browser"},
	{"browser/capture", "browser/evaluate", "browser/webstorage"},
	{"page", "debugger"},
	{"page/widget"},
	{"page/input"},
	{"page/locate", "page/read"},
	{"page/fetch", "page/settle"},
	{"page/node", "page/secret"},
	{"page/document"},
	{"page/track"},
	{"browser/children", "browser/clipboard", "browser/intercept", "browser/permission", "browser/prompt", "browser/scratch", "debugger/mapload"},
	{
		"browser/address", "browser/dialog", "browser/download", "browser/personhold", "browser/queue", "browser/requestlog", "chromium", "console", "debugger/sourcemap", "extension", "heap/snapshot", "page/extract", "page/mark",
		"page/script",
		"protocol", "relay", "running", "screencast", "watchdog",
	},
}

// Row returns the row of an order that covers a path, and the entry that does, or -1. The entry that
// is longest wins.
func Row(order [][]string, path string) (entry string, row int) {
	row = -1
	for i, names := range order {
		for _, name := range names {
			if len(name) > len(entry) && covers(name, path) {
				entry, row = name, i
			}
		}
	}
	return entry, row
}

// UpwardImports lists the imports inside internal/engine that do not point to a later row of
// EngineLayers, and the packages that are in no row.
func UpwardImports(packages []Package) (upward, unlisted []string) {
	const engine = "internal/engine/"
	for _, p := range packages {
		from, ours := strings.CutPrefix(p.Path(), engine)
		if !ours {
			continue
		}
		entry, row := Row(EngineLayers, from)
		if row < 0 {
			unlisted = append(unlisted, from)
			continue
		}
		for _, path := range p.Imports {
			to, ours := strings.CutPrefix(path, Module+"/"+engine)
			if !ours {
				continue
			}
			if other, below := Row(EngineLayers, to); below >= 0 && below <= row && other != entry {
				upward = append(upward, from+" imports "+to)
			}
		}
	}
	return upward, unlisted
}

// covers reports whether a pattern such as gen/... or gen/toolkit matches a path.
func covers(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	return pattern == path
}
