package configfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

const exampleHead = `# Settings of callsheet: each key is a flag of "callsheet serve" without its dashes. A flag of the command line wins over a
# variable of the environment (CALLSHEET_STATE_DIR for state-dir), that over this file, and this file over the default.
# "callsheet config check" finds mistakes, "callsheet config show" says where each setting comes from,
# "callsheet config schema" prints a JSON Schema for editors. Relative paths start at the directory of this file.
version: 1

# Settings by name, which "--profile work" or "profile: work" adds:
# profiles:
#   work:
#     user-data-dir: ~/work-profile

# Remote browsers by name, which "browser-provider: farm" uses. Placeholders are filled in at each connection:
# providers:
#   farm:
#     url: "wss://browsers.example/session?key={env:FARM_KEY}"
#     headers: {Authorization: "Bearer {secret:FARM_TOKEN}"}
#     keep-alive: 30s

# Bearer tokens by name, which "callsheet token add ci" writes:
# tokens:
#   ci: {sha256: "0123…", powers: [navigation, window], expires: "2027-01-31"}
`

// Example returns a file with every setting, commented out, with what its flag says.
func Example(flags *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString(exampleHead)
	names := Names(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) {
			return
		}
		_, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(&b, "\n# %s\n# %s: %s\n", usage, f.Name, exampleValue(f))
	})
	return b.String()
}

// exampleValue is the default of a flag in YAML.
func exampleValue(f *pflag.Flag) string {
	switch {
	case IsList(f):
		return "[]"
	case f.DefValue == "":
		return `""`
	}
	return f.DefValue
}

// Create writes a new file that only its owner can read. It refuses to replace one.
func Create(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the configuration directory: %w", err)
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // the user's own directory
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is kept", path)
	}
	if err != nil {
		return fmt.Errorf("write the configuration file: %w", err)
	}
	_, err = out.WriteString(text)
	return errors.Join(err, out.Close())
}

// Schema returns the JSON Schema (2020-12) of the file.
func Schema(flags *pflag.FlagSet) ([]byte, error) {
	settings := map[string]any{}
	names := Names(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if slices.Contains(names, f.Name) {
			settings[f.Name] = property(f)
		}
	})
	root := map[string]any{
		"version":  map[string]any{"const": 1, "description": "The version of the file's grammar."},
		"profiles": map[string]any{"type": "object", "description": "Settings by name, chosen with --profile or profile.", "additionalProperties": map[string]any{"$ref": "#/$defs/settings"}},
	}
	text := map[string]any{"type": "string"}
	root[keyProviders] = map[string]any{"type": "object", "description": "Remote browsers by name, chosen with --browser-provider.",
		"additionalProperties": map[string]any{"type": "object", "additionalProperties": false, "required": []string{"url"}, "properties": map[string]any{
			"url": text, "headers": map[string]any{"type": "object", "additionalProperties": text}, "keep-alive": text,
		}}}
	root[keyTokens] = map[string]any{"type": "object", "description": "Bearer tokens by name, written by callsheet token.",
		"additionalProperties": map[string]any{"type": "object", "additionalProperties": false, "required": []string{"sha256"}, "properties": map[string]any{
			"sha256": text, "powers": map[string]any{"type": "array", "items": text}, "expires": text,
		}}}
	for name := range settings {
		root[name] = map[string]any{"$ref": "#/$defs/settings/properties/" + name}
	}
	out, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "callsheet.yaml", "type": "object",
		"required": []string{"version"}, "additionalProperties": false, "properties": root,
		"$defs": map[string]any{"settings": map[string]any{"type": "object", "additionalProperties": false, "properties": settings}},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the schema: %w", err)
	}
	return append(out, '\n'), nil
}

// property is the schema of one setting.
func property(f *pflag.Flag) map[string]any {
	_, usage := pflag.UnquoteUsage(f)
	p := map[string]any{"description": usage}
	switch f.Value.Type() {
	case "bool":
		p["type"] = "boolean"
	case "int":
		p["type"] = "integer"
	case "on|off":
		p["enum"] = []any{"on", "off", true, false}
	default:
		p["type"] = []string{"string", "number"}
		if IsList(f) {
			p["type"] = []string{"string", "array"}
			p["items"] = map[string]any{"type": "string"}
			p["minItems"] = 1
		}
	}
	return p
}
