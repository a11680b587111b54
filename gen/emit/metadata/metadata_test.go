package metadata_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/callsheet/callsheet/gen/emit/emittest"
	"github.com/callsheet/callsheet/gen/emit/metadata"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

func described() *model.Toolset {
	set := emittest.Toolset()
	set.Server = &model.Server{
		Name: "io.github.someone/weather", Title: "Weather & more", Description: "Forecasts.", Program: "weather", Author: "Someone",
		Repository: "https://github.com/someone/weather", Website: "https://example.org/", License: "MIT", NPM: "@someone/weather",
		Keywords:    []string{"weather"},
		Environment: []model.Variable{{Name: "WEATHER_KEY", Description: "Key of the service.", Secret: true, Required: true}},
	}
	return set
}

// emit returns the files by name.
func emit(t *testing.T, set *model.Toolset) map[string][]byte {
	t.Helper()
	files, err := metadata.Emit(set, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		out[strings.TrimPrefix(f.Path, "metadata/")] = f.Data
	}
	return out
}

func TestNothingIsSaidOfAnUndescribedServer(t *testing.T) {
	t.Parallel()
	if files := emit(t, emittest.Toolset()); len(files) != 0 {
		t.Errorf("%d files", len(files))
	}
}

// TestSchemas holds what others read against their schemas.
func TestSchemas(t *testing.T) {
	t.Parallel()
	bare := described()
	bare.Server = &model.Server{Name: "a.b/c", Title: "C", Description: "D", Program: "c", Author: "E"}
	for _, set := range []*model.Toolset{described(), bare} {
		files := emit(t, set)
		for file, schema := range map[string]string{"server.json": "server.schema.json", "mcpb/manifest.json": "mcpb.schema.json"} {
			if err := compile(t, schema).Validate(decode(t, files[file])); err != nil {
				t.Errorf("%s of %s: %v", file, set.Server.Name, err)
			}
		}
	}
}

// TestSecretsAreNamedOnly makes sure that metadata names variables, and clients ask for
// their values.
func TestSecretsAreNamedOnly(t *testing.T) {
	t.Parallel()
	files := emit(t, described())
	for file, want := range map[string]string{
		"server.json":                  `"name":"WEATHER_KEY","description":"Key of the service.","isRequired":true,"isSecret":true`,
		"mcpb/manifest.json":           `"WEATHER_KEY":"${user_config.WEATHER_KEY}"`,
		"claude/.mcp.json":             `"env":{"WEATHER_KEY":"${WEATHER_KEY}"}`,
		"vscode/mcp.json":              `"env":{"WEATHER_KEY":"${env:WEATHER_KEY}"}`,
		"gemini/gemini-extension.json": `"env":{"WEATHER_KEY":"$WEATHER_KEY"}`,
	} {
		var b bytes.Buffer
		if err := json.Compact(&b, files[file]); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s has no %s:\n%s", file, want, b.String())
		}
	}
}

// TestClientsStartTheVersion pins what clients run, so that a plugin of one version starts no other.
func TestClientsStartTheVersion(t *testing.T) {
	t.Parallel()
	files := emit(t, described())
	for _, file := range []string{"claude/.mcp.json", "gemini/gemini-extension.json", "cursor/mcp.json", "vscode/mcp.json", "INSTALL.md"} {
		if !strings.Contains(string(files[file]), "@someone/weather@1.2.3") {
			t.Errorf("%s does not start the version:\n%s", file, files[file])
		}
	}
	set := described()
	set.Server.NPM = ""
	if text := string(emit(t, set)["claude/.mcp.json"]); !strings.Contains(text, `"command": "weather"`) {
		t.Errorf("without a package, clients start\n%s", text)
	}
}

// TestSkillShowsTheWork makes sure that sections come first, and that a verb is there once.
func TestSkillShowsTheWork(t *testing.T) {
	t.Parallel()
	set := withVerbs(t)
	set.Server = described().Server
	verb := set.Commands()[0].Name
	before := string(emit(t, set)["claude/skills/weather/SKILL.md"])
	set.Server.Skill = &model.Skill{When: "Use it.", Sections: []model.SkillSection{{
		Title: spec.Text{Value: "First steps"}, Text: spec.Text{Value: "Begin."}, Commands: []spec.Text{{Value: "weather " + verb + "  # at once"}},
	}}}
	text := string(emit(t, set)["claude/skills/weather/SKILL.md"])
	if want := "## First steps\n\nBegin.\n\n```sh\nweather " + verb + "  # at once\n```\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	if line := "- `weather " + verb; !strings.Contains(before, line) || strings.Contains(text, line) {
		t.Errorf("%s is listed beside its section:\n%s", verb, text)
	}
	if n := metadata.SkillBytes(set); n != len(text) {
		t.Errorf("%d bytes of %d", n, len(text))
	}
}

// TestSkillHasTheListedVerbs shows the verbs of tools that are listed without asking for more.
func TestSkillHasTheListedVerbs(t *testing.T) {
	t.Parallel()
	set := withVerbs(t)
	set.Server = described().Server
	text := string(emit(t, set)["claude/skills/weather/SKILL.md"])
	if !strings.HasPrefix(text, "---\nname: weather\ndescription: \"Forecasts.") {
		t.Errorf("the head is\n%.80s", text)
	}
	verbs := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "- `weather ") {
			continue
		}
		verbs++
		if strings.Contains(line, "[--") || strings.Contains(line, "[flags]") {
			t.Errorf("help lists the flags that may be left out: %s", line)
		}
	}
	if verbs == 0 {
		t.Errorf("no verbs:\n%s", text)
	}
}

// withVerbs compiles a manifest with a command line.
func withVerbs(t *testing.T) *model.Toolset {
	t.Helper()
	archive, err := txtar.ParseFile("../cli/testdata/manifest.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var files []spec.File
	for _, f := range archive.Files {
		files = append(files, spec.File{Name: f.Name, Data: f.Data})
	}
	tree, diags := spec.Parse("tools.yaml", files)
	set, more := model.Resolve("example.org/tools", tree)
	if len(diags)+len(more) > 0 {
		t.Fatal(diags, more)
	}
	return set
}

func compile(t *testing.T, name string) *oracle.Schema {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	c := oracle.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, decode(t, data)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	v, err := oracle.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}
