// Package localfile recognises the paths of files that a person types where a verb takes an address. The daemon runs in
// another directory, so that only the command can resolve them.
//
// It must not know which verbs there are.
package localfile

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pages are extensions of files that a browser shows, and of no host.
var pages = []string{".html", ".htm", ".xhtml", ".svg", ".pdf", ".txt"}

// URL returns the file: address of a path in the current directory or below the home directory; ok is false for any
// other text. A path begins as one, or names a file that exists and has the extension of a page.
func URL(text string) (address string, ok bool) {
	path := text
	switch {
	case text == "~" || strings.HasPrefix(text, "~/"):
		home, err := os.UserHomeDir()
		if err != nil {
			return "", false
		}
		path = filepath.Join(home, strings.TrimPrefix(text, "~"))
	case text == "." || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../"):
	default:
		info, err := os.Stat(text)
		if err != nil || !info.Mode().IsRegular() || !slices.Contains(pages, strings.ToLower(filepath.Ext(text))) {
			return "", false
		}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String(), true
}

// Resolve returns the arguments of a call with a file: address where the argument of a name is a path.
func Resolve(args json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal(args, &members) != nil || json.Unmarshal(members[name], &text) != nil {
		return args
	}
	address, ok := URL(text)
	if !ok {
		return args
	}
	quoted, err := json.Marshal(address)
	if err != nil {
		return args
	}
	members[name] = quoted
	if out, err := json.Marshal(members); err == nil {
		return out
	}
	return args
}
