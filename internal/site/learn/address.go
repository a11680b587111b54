package learn

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// start takes the first address as the tool's start.
func (g *generaliser) start(args []map[string]any) {
	g.draft.Start, g.draft.Origin = g.addresses(args)
}

// navigation generalises over the addresses that a later step opens. On the first origin they are paths.
func (g *generaliser) navigation(args []map[string]any) {
	for n := range args {
		if _, ok := args[n]["url"].(string); !ok {
			return
		}
	}
	path, origin := g.addresses(args)
	if origin != g.draft.Origin {
		path = origin + path
	}
	for n := range args {
		args[n]["url"] = path
	}
}

// addresses generalises over the addresses of a navigation. The origin is that of the first recording.
func (g *generaliser) addresses(args []map[string]any) (path, origin string) {
	paths, origins := make([]string, len(args)), make([]string, len(args))
	for n := range args {
		address, _ := args[n]["url"].(string)
		paths[n], origins[n] = pathOf(address)
	}
	if !allSame(origins) {
		g.note("the recordings are of the origins %s: the first is kept", quoteAll(origins))
	}
	return g.address(paths), origins[0]
}

// separators splits an address into parts that begin with their separator.
var separators = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[/?&=][^/?&=]*|^[^/?&=]+`) })

// address generalises over paths: segments and values of the query that differ are parameters.
func (g *generaliser) address(paths []string) string {
	if allSame(paths) {
		return paths[0]
	}
	parts := make([][]string, len(paths))
	for n, p := range paths {
		parts[n] = separators().FindAllString(p, -1)
		if !sameSeparators(parts[n], parts[0]) {
			g.note("the recordings open %s: other segments, so the address of the first is kept", strings.Join(paths, " and "))
			return paths[0]
		}
	}
	var b strings.Builder
	unescape := url.PathUnescape
	for i, part := range parts[0] {
		if part[0] == '?' {
			unescape = url.QueryUnescape
		}
		column := make([]string, len(parts))
		for n := range parts {
			column[n] = parts[n][i]
		}
		if allSame(column) {
			b.WriteString(part)
			continue
		}
		for n := range column {
			column[n] = column[n][1:]
			if plain, err := unescape(column[n]); err == nil {
				column[n] = plain
			}
		}
		name := "id"
		if i > 0 {
			name = strings.TrimSuffix(strings.Trim(parts[0][i-1], "/?&="), "s")
		}
		b.WriteString(part[:1] + "{" + g.parameter(name, column) + "}")
	}
	return b.String()
}

// sameSeparators reports whether parts of two addresses begin with the same separators. A part without one
// is the same text.
func sameSeparators(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (a[i][0] != b[i][0] || !strings.ContainsAny(a[i][:1], "/?&=")) {
			return false
		}
	}
	return true
}
