package schema_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	oracle "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/emit/schema"
)

const manifestDir = "../../../manifest"

func TestManifestSchemaAcceptsTheRealManifest(t *testing.T) {
	check := manifestSchema(t)
	for _, file := range manifestFiles(t) {
		if err := check.Validate(readYAML(t, readFile(t, file))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Each row misspells one key, or writes one value the grammar does not know, somewhere in the real
// manifest.
func TestManifestSchemaRefusesMisspellings(t *testing.T) {
	check := manifestSchema(t)
	for _, tc := range []struct{ file, old, new string }{
		{"tools.yaml", "scenarios:", "scenario:"},
		{"tools.yaml", "title: Core", "titel: Core"},
		{"tools.yaml", "status: frozen", "status: frosen"},
		{"tools.yaml", "version: 1", "version: 2"},
		{"tools/tabs.yaml", "capability: core", "capabilty: core"},
		{"tools/tabs.yaml", "read_only: false", "readonly: false"},
		{"tools/tabs.yaml", "tier: 1", "tier: 4"},
		{"tools/tabs.yaml", "{type: string}", "{type: text}"},
		{"tools/tabs.yaml", "minItems: 1", "minItem: 1"},
		{"tools/tabs.yaml", "timeout_ms: 10000", "timeout: 10000"},
		{"tools/tabs.yaml", "any: [tabId, tabIds]", "some: [tabId, tabIds]"},
		{"tools/tabs.yaml", "any: [tabId, tabIds]", "any: [tabId, tabIds], all: [tabId]"},
		{"tools/tabs.yaml", "input: [url]", "inputs: [url]"},
		{"tools/tabs.yaml", "name: navigate", "name: Navigate"},
	} {
		text := readFile(t, filepath.Join(manifestDir, tc.file))
		broken := strings.Replace(text, tc.old, tc.new, 1)
		if broken == text {
			t.Errorf("%s has no %q to misspell", tc.file, tc.old)
			continue
		}
		if check.Validate(readYAML(t, broken)) == nil {
			t.Errorf("%s: %q is accepted", tc.file, tc.new)
		}
	}
}

// Editors show the descriptions, so no key may lack one; and readers open the file, so it holds no
// escapes.
func TestManifestSchemaExplainsEveryKey(t *testing.T) {
	data, err := json.Marshal(schema.Manifest())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), `\u00`) {
		t.Error("a description needs HTML escapes; say it without <, > and &")
	}
	doc := decode(t, data)
	objects := map[string]any{"(root)": doc}
	for name, def := range doc["$defs"].(map[string]any) {
		objects[name] = def
	}
	for name, o := range objects {
		properties, ok := o.(map[string]any)["properties"].(map[string]any)
		if !ok {
			continue
		}
		if o.(map[string]any)["additionalProperties"] != false {
			t.Errorf("%s is not closed", name)
		}
		for key, p := range properties {
			if p.(map[string]any)["description"] == nil {
				t.Errorf("%s: key %q has no description", name, key)
			}
		}
	}
}

func manifestSchema(t *testing.T) *oracle.Schema {
	t.Helper()
	data, err := json.Marshal(schema.Manifest())
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, decode(t, data))
}

func manifestFiles(t *testing.T) []string {
	t.Helper()
	areas, err := filepath.Glob(filepath.Join(manifestDir, "tools", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(areas) == 0 {
		t.Fatal("no manifest files found")
	}
	return append(areas, filepath.Join(manifestDir, "tools.yaml"))
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// readYAML decodes by way of JSON, so that the validator meets JSON's types only.
func readYAML(t *testing.T, text string) any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return any(decode(t, data))
}
