package emulation

import (
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/callsheet/callsheet/internal/fault"
)

// ParseHeaders parses lines of the form "Name: value". It refuses headers that the browser
// controls, such as Host.
func ParseHeaders(lines []string) ([]Header, error) {
	var out []Header
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fault.Invalid("header %.80q is not \"Name: value\"", line)
		}
		controlled := []string{"host", "content-length", "connection", "transfer-encoding", "upgrade"}
		if slices.Contains(controlled, strings.ToLower(name)) {
			return nil, fault.Invalid("header %s is the browser's own and cannot be set", name)
		}
		out = slices.DeleteFunc(out, func(h Header) bool { return strings.EqualFold(h.Name, name) })
		out = append(out, Header{name, value})
	}
	return out, nil
}

// ParsePermissions parses lines of the form name=granted, name=denied or name=prompt.
func ParsePermissions(lines []string) (map[string]string, error) {
	out := map[string]string{}
	for _, line := range lines {
		name, setting, _ := strings.Cut(line, "=")
		name, setting = strings.TrimSpace(name), strings.TrimSpace(setting)
		if name == "" || !slices.Contains([]string{"granted", "denied", "prompt"}, setting) {
			return nil, fault.Invalid("permission %.80q is not name=granted, name=denied or name=prompt", line)
		}
		out[name] = setting
	}
	return out, nil
}
