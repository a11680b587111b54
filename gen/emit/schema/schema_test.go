package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	oracle "github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/emit/emittest"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

func TestEmitGolden(t *testing.T) {
	files, err := schema.Emit(emittest.Toolset())
	if err != nil {
		t.Fatal(err)
	}
	emittest.Golden(t, "testdata/emit.txtar", files)
}

func TestDefinitionGolden(t *testing.T) {
	var files []output.File
	for _, tool := range emittest.Toolset().Tools {
		files = append(files, output.File{Path: tool.Name, Data: append(schema.Definition(tool), '\n')})
		if slim := schema.SlimDefinition(tool); slim != nil {
			files = append(files, output.File{Path: tool.Name + " slim", Data: append(slim, '\n')})
		}
	}
	emittest.Golden(t, "testdata/definition.txtar", files)
}

// A reader of the protocol must come to the four promises of the manifest from what is sent and its
// own defaults.
func TestAnnotationsSayTheEffects(t *testing.T) {
	for bits := range 16 {
		e := model.Effects{ReadOnly: bits&1 != 0, Destructive: bits&2 != 0, Idempotent: bits&4 != 0, OpenWorld: bits&8 != 0}
		tool := &model.Tool{Name: "x", Input: &model.Object{}, Effects: e}
		sent := struct {
			Annotations struct{ ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint bool }
		}{}
		sent.Annotations.DestructiveHint, sent.Annotations.OpenWorldHint = true, true
		data := schema.Definition(tool)
		if err := json.Unmarshal(data, &sent); err != nil {
			t.Fatal(err)
		}
		a := sent.Annotations
		got := model.Effects{ReadOnly: a.ReadOnlyHint, Destructive: a.DestructiveHint, Idempotent: a.IdempotentHint, OpenWorld: a.OpenWorldHint}
		want := e
		if e.ReadOnly { // the two mean nothing then, so they are not sent
			want.Destructive, want.Idempotent = true, false
		}
		if got != want {
			t.Errorf("%+v is read back as %+v from %s", e, got, data)
		}
		if bytes.Contains(data, []byte(`"annotations":{}`)) {
			t.Errorf("%+v: empty annotations in %s", e, data)
		}
	}
}

// The bytes say what a library's schema of the same types says, only in another order: no keyword is lost.
func TestBytesSayWhatTheSchemaSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tool := emittest.Tool().Draw(t, "tool")
		want, err := json.Marshal(object(tool.Input.Properties))
		if err != nil {
			t.Fatal(err)
		}
		sent := decode(t, schema.Definition(tool))
		if diff := cmp.Diff(decode(t, want), decode(t, schema.Contract(tool))); diff != "" {
			t.Fatal(diff)
		}
		if sent["description"] != tool.FullDescription() || sent["name"] != tool.Name {
			t.Fatalf("name or description changed on the way: %v", sent)
		}
	})
}

func TestDefinitionsAreCompactAndDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tool := emittest.Tool().Draw(t, "tool")
		for _, build := range []func(*model.Tool) []byte{schema.Definition, schema.SlimDefinition} {
			data := build(tool)
			if data == nil {
				continue
			}
			var tight bytes.Buffer
			if err := json.Compact(&tight, data); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(tight.Bytes(), data) {
				t.Fatalf("not compact: %s", data)
			}
			if !bytes.Equal(build(tool), data) {
				t.Fatal("two calls differ")
			}
			for _, escaped := range []string{`\u003c`, `\u003e`, `\u0026`} {
				if strings.Contains(strings.ReplaceAll(string(data), `\\`, ""), escaped) {
					t.Fatalf("html escaping in %s", data)
				}
			}
			if !bytes.Contains(data, []byte(`"inputSchema":{"type":"object","properties":{`)) {
				t.Fatalf("the type is not first, or there are no properties, in %s", data)
			}
		}
	})
}

func TestPropertiesKeepTheAuthorsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tool := emittest.Tool().Draw(t, "tool")
		var want []string
		for _, p := range tool.Input.Properties {
			want = append(want, p.Name)
		}
		if diff := cmp.Diff(want, propertyOrder(t, schema.Definition(tool))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// The validator of the tests accepts what the model allows and refuses what it does not.
func TestSchemaMeansWhatTheModelMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tool := emittest.Tool().Draw(t, "tool")
		check := compile(t, decode(t, schema.Contract(tool)))
		args := emittest.ObjectInstance(t, tool.Input)
		for _, s := range []*oracle.Schema{check, compile(t, decode(t, schema.Definition(tool))["inputSchema"])} {
			if err := s.Validate(args); err != nil {
				t.Fatalf("refuses %v: %v", args, err)
			}
		}
		for _, p := range tool.Input.Properties {
			if v, ok := args[p.Name]; ok && p.Required {
				delete(args, p.Name)
				if check.Validate(args) == nil {
					t.Fatalf("accepts %v without %q", args, p.Name)
				}
				args[p.Name] = v
			}
		}
		args["no such parameter"] = true
		if check.Validate(args) == nil {
			t.Fatalf("accepts the unknown key in %v", args)
		}
	})
}

// The slim entry lists fewer parameters and drops only prose: what it lists, it limits alike.
func TestSlimIsASubset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tool := emittest.Tool().Draw(t, "tool")
		data := schema.SlimDefinition(tool)
		if tool.Slim == nil {
			if data != nil {
				t.Fatalf("a tool without a slim form has %s", data)
			}
			return
		}
		sent := decode(t, data)
		all := decode(t, schema.Definition(tool))["inputSchema"].(map[string]any)["properties"].(map[string]any)
		want := map[string]any{}
		for _, p := range tool.Slim.Properties {
			want[p.Name] = withoutProse(all[p.Name])
		}
		if diff := cmp.Diff(want, sent["inputSchema"].(map[string]any)["properties"]); diff != "" {
			t.Fatal(diff)
		}
		if _, titled := sent["title"]; titled || len(data) > len(schema.Definition(tool))+len(tool.Slim.Description)*6 {
			t.Fatalf("not slim: %s", data)
		}
	})
}

func TestPaidBytesCountsWhatAModelReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tool := emittest.Tool().Draw(t, "tool")
		entry := struct {
			InputSchema json.RawMessage `json:"inputSchema"`
		}{}
		if err := json.Unmarshal(schema.Definition(tool), &entry); err != nil {
			t.Fatal(err)
		}
		want := len(tool.Name) + len(tool.FullDescription()) + len(entry.InputSchema)
		if got := schema.PaidBytes(tool); got != want {
			t.Fatalf("counts %d bytes, want %d", got, want)
		}
	})
}

// What the contract of an output accepts, its form in lists accepts too, and a list has it unless the manifest leaves it out.
func TestOutputsInLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tool := emittest.Tool().Draw(t, "tool")
		if tool.Output == nil {
			t.Skip("no output")
		}
		listed := decode(t, schema.Definition(tool))["outputSchema"]
		if diff := cmp.Diff(decode(t, schema.ListedOutput(tool)), listed); diff != "" {
			t.Fatalf("the list has another schema (-want +got):\n%s", diff)
		}
		if strings.Contains(string(schema.ListedOutput(tool)), `"additionalProperties":false`) {
			t.Fatalf("closed in the list: %s", schema.ListedOutput(tool))
		}
		compile(t, listed)
		tool.OutputUnlisted = true
		if entry := decode(t, schema.Definition(tool)); entry["outputSchema"] != nil {
			t.Fatalf("the list has the schema of the output: %v", entry)
		}
	})
}

func BenchmarkEmit(b *testing.B) {
	for _, n := range []int{500, 2000} {
		ts := emittest.Synthetic(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := schema.Emit(ts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/tool")
		})
	}
}

// fataler is the common methods of *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatal(...any)
}

func decode(t fataler, data []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func compile(t fataler, doc any) *oracle.Schema {
	t.Helper()
	c := oracle.NewCompiler()
	c.DefaultDraft(oracle.Draft2020)
	if err := c.AddResource("mem:schema", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// propertyOrder reads the names of the input's properties in the order of the bytes.
func propertyOrder(t fataler, definition []byte) []string {
	t.Helper()
	entry := struct {
		InputSchema struct {
			Properties json.RawMessage `json:"properties"`
		} `json:"inputSchema"`
	}{}
	if err := json.Unmarshal(definition, &entry); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(entry.InputSchema.Properties))
	var names []string
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// withoutProse strips descriptions and defaults from a decoded schema, at every depth, but not from
// among the names of properties.
func withoutProse(s any) any {
	out := map[string]any{}
	for k, v := range s.(map[string]any) {
		switch k {
		case "description", "default":
		case "items", "additionalProperties":
			out[k] = withoutProse(v)
		case "anyOf":
			var variants []any
			for _, variant := range v.([]any) {
				variants = append(variants, withoutProse(variant))
			}
			out[k] = variants
		case "properties":
			members := map[string]any{}
			for name, m := range v.(map[string]any) {
				members[name] = withoutProse(m)
			}
			out[k] = members
		default:
			out[k] = v
		}
	}
	return out
}
