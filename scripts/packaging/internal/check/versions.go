package check

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/scripts/packaging/internal/release"
)

// statement is a version that a file states.
type statement struct{ where, version string }

// started matches the command with which clients start a version.
var started = regexp.MustCompile(`callsheet(?:@|%40)([0-9][0-9A-Za-z.-]*)`)

// linked matches the configuration in a link of Cursor's, which is base64.
var linked = regexp.MustCompile(`config=([A-Za-z0-9%]+)`)

// heading matches the first line of the notes.
var heading = regexp.MustCompile(`^# \S+ (\S+)\n`)

// states lists the versions that a file states: in its text where the text is JSON or a page, or in its name.
func states(file, name string) ([]statement, error) {
	var out []statement
	if text, ok := strings.CutPrefix(filepath.Base(name), "callsheet"); ok && versioned(name) {
		out = append(out, statement{name + " (its name)", nameVersion(text)})
	}
	if !readable(name) {
		return out, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for _, m := range linked.FindAllSubmatch(text, -1) {
		escaped, _ := url.QueryUnescape(string(m[1]))
		config, _ := base64.StdEncoding.DecodeString(escaped)
		text = append(text, config...)
	}
	for _, m := range started.FindAllSubmatch(text, -1) {
		out = append(out, statement{name, string(m[1])})
	}
	switch {
	case strings.HasSuffix(name, ".json"):
		versions, err := jsonVersions(text)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		for _, v := range versions {
			out = append(out, statement{name, v})
		}
	case filepath.Base(name) == release.NotesFile:
		version := ""
		if m := heading.FindSubmatch(text); m != nil {
			version = string(m[1])
		}
		out = append(out, statement{name, version})
	case strings.HasSuffix(name, "DEBIAN/control"):
		_, rest, _ := strings.Cut(string(text), "\nVersion: ")
		version, _, _ := strings.Cut(rest, "\n")
		out = append(out, statement{name, strings.ReplaceAll(version, "~", "-")}) // ~ sorts before the release
	}
	return out, nil
}

// jsonVersions lists the version of a document, of the packages that it lists, and of what it depends on.
func jsonVersions(text []byte) ([]string, error) {
	var d struct {
		Version  any `json:"version"`
		Metadata struct {
			Component struct {
				Version string `json:"version"`
			} `json:"component"`
		} `json:"metadata"`
		Packages []struct {
			Version string `json:"version"`
		} `json:"packages"`
		Optional map[string]string `json:"optionalDependencies"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	var out []string
	if v, ok := d.Version.(string); ok {
		out = append(out, v)
	}
	if v := d.Metadata.Component.Version; v != "" {
		out = append(out, v)
	}
	for _, p := range d.Packages {
		out = append(out, p.Version)
	}
	for _, v := range d.Optional {
		out = append(out, v)
	}
	slices.Sort(out)
	return out, nil
}

// versioned reports whether the name of a file has a version: all but those of bare programs have.
func versioned(name string) bool {
	return slices.ContainsFunc([]string{".tar.gz", ".zip", ".mcpb", ".deb", ".tgz", ".cdx.json"}, func(suffix string) bool {
		return strings.HasSuffix(name, suffix)
	})
}

var inName = regexp.MustCompile(`[-_]([0-9]+\.[0-9]+\.[0-9]+(?:-(?:alpha|beta|rc)\.[0-9]+)?)`)

func nameVersion(name string) string {
	if m := inName.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// readable reports whether a file is text that states versions.
func readable(name string) bool {
	switch filepath.Ext(name) {
	case ".json", ".md":
		return true
	}
	return strings.HasSuffix(name, "DEBIAN/control")
}
