// Package changelog cuts one version's section out of a changelog. It must not know what a release
// does with it.
package changelog

import (
	"fmt"
	"strings"
)

// unreleased is the heading of what no version has yet.
const unreleased = "Unreleased"

// Section returns the section of a version, without its heading. A changelog without the version has it under
// "Unreleased" until the release commit renames that; named is false then.
func Section(text, version string) (section string, named bool, err error) {
	for _, heading := range []string{version, unreleased} {
		if section, ok := cut(text, heading); ok {
			return section, heading == version, nil
		}
	}
	return "", false, fmt.Errorf("the changelog has a section for neither %s nor %s", version, unreleased)
}

func cut(text, heading string) (string, bool) {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			if inside {
				break
			}
			name, _, _ := strings.Cut(strings.TrimSpace(title), " ") // a date may follow
			inside = strings.Trim(name, "[]") == heading
			continue
		}
		if inside {
			b.WriteString(line)
		}
	}
	out := strings.TrimSpace(b.String())
	return out + "\n", out != ""
}
