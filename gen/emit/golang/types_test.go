package golang_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	oracle "github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/emit/emittest"
	"github.com/callsheet/callsheet/gen/emit/golang"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// typesTool is the tool of testdata/types, which has a parameter of every construct of types.
func typesTool(t *testing.T) *model.Toolset {
	t.Helper()
	return resolve(t, "testdata/types/tools.yaml")
}

// resolve reads a manifest of one file.
func resolve(t *testing.T, path string) *model.Toolset {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const root = "manifest/tools.yaml"
	tree, diags := spec.Parse(root, []spec.File{{Name: root, Data: data}})
	set, more := model.Resolve("example.com/x", tree)
	if all := append(diags, more...); len(all) > 0 {
		t.Fatalf("the manifest has problems: %v", all)
	}
	return set
}

// readerMain holds each line of its input against the reader of the tool's arguments.
const readerMain = `package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"

	"example.com/x/generated/toolset/toolsapi"
	"github.com/callsheet/callsheet/gen/toolkit"
)

func main() {
	tool := toolsapi.Tools(nil)[0]
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		found := toolkit.Violations{}
		errors.As(tool.Check(line), &found)
		if err := out.Encode(found); err != nil {
			panic(err)
		}
	}
}
`

// module writes the generated code and files of its own into a module of a directory.
func module(t *testing.T, set *model.Toolset, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gen, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(gen, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(gen, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	own := regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module example.com/x"))
	write("go.mod", fmt.Appendf(own, "\nrequire github.com/callsheet/callsheet/gen v0.0.0\nreplace github.com/callsheet/callsheet/gen => %s\n", gen))
	write("go.sum", sum)
	generated, err := golang.Emit(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range generated {
		if !strings.HasPrefix(f.Path, "registry/") { // it needs handlers
			write("generated/"+f.Path, f.Data)
		}
	}
	for name, text := range files {
		write(name, []byte(text))
	}
	return dir
}

// program is a compiled program that answers a line with a line.
type program struct {
	in  io.Writer
	out *bufio.Reader
}

func start(t *testing.T, set *model.Toolset, main string) *program {
	t.Helper()
	dir := module(t, set, map[string]string{"main.go": main})
	build := exec.Command("go", "build", "-mod=mod", "-o", "program", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the generated code does not compile: %v\n%s", err, out)
	}
	run := exec.Command(filepath.Join(dir, "program"))
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	run.Stderr = os.Stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := run.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &program{in, bufio.NewReaderSize(out, 1<<20)}
}

// fataler is the common methods of *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatal(...any)
}

func (p *program) ask(t fataler, line []byte) []byte {
	t.Helper()
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	out, err := p.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	return out
}

type violation struct{ Path, Problem, Hint string }

func (p *program) check(t fataler, args []byte) (out []violation) {
	t.Helper()
	if err := json.Unmarshal(p.ask(t, args), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// The generated readers and a JSON Schema validator agree on every instance, whole or damaged.
func TestReadersAgreeWithTheSchema(t *testing.T) {
	t.Parallel()
	set := typesTool(t)
	tool := set.Tools[0]
	readers := start(t, set, readerMain)
	contract := validator(t, schema.Contract(tool))
	rapid.Check(t, func(t *rapid.T) {
		args := emittest.ObjectInstance(t, tool.Input)
		for range rapid.IntRange(0, 2).Draw(t, "damages") {
			damage(t, args)
		}
		data, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		want, got := contract.Validate(args), readers.check(t, data)
		if (want == nil) != (len(got) == 0) {
			t.Fatalf("%s: the schema says %v, the reader %v", data, want, got)
		}
	})
}

// damage puts a value where another belongs, takes a member away, or adds one.
func damage(t *rapid.T, in map[string]any) {
	var names []string
	for name := range in {
		names = append(names, name)
	}
	if len(names) == 0 {
		return
	}
	name := rapid.SampledFrom(names).Draw(t, "damaged")
	switch inner := in[name].(type) {
	case map[string]any:
		if rapid.Bool().Draw(t, "deeper") {
			damage(t, inner)
			return
		}
	case []any:
		if len(inner) > 0 && rapid.Bool().Draw(t, "deeper") {
			if o, ok := inner[0].(map[string]any); ok {
				damage(t, o)
				return
			}
		}
	}
	switch rapid.IntRange(0, 2).Draw(t, "damage") {
	case 0:
		delete(in, name)
	case 1:
		in[name] = rapid.SampledFrom([]any{nil, 7.0, "x", true, []any{}, map[string]any{}, map[string]any{"kind": "mail"}}).Draw(t, "wrong")
	default:
		in[name+"x"] = 1.0
	}
}

func validator(t *testing.T, data []byte) *oracle.Schema {
	t.Helper()
	doc, err := oracle.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	c := oracle.NewCompiler()
	c.DefaultDraft(oracle.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("mem:schema", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadersSayWhatIsExpected(t *testing.T) {
	t.Parallel()
	readers := start(t, typesTool(t), readerMain)
	const whole = `"id":"123e4567-e89b-12d3-a456-426614174000","home":{"street":"a"}`
	for args, want := range map[string][]violation{
		`{` + whole + `}`: {},
		`{"id":"12","home":{"street":"a"}}`: {
			{"/id", `expected a uuid, got "12"`, `such as "123e4567-e89b-12d3-a456-426614174000"`}},
		`{` + whole + `,"due":null,"begins":"tomorrow","day":"2026-02-30"}`: {
			{"/begins", `expected a date-time, got "tomorrow"`, `such as "2026-01-31T15:04:05Z"`},
			{"/day", `expected a date, got "2026-02-30"`, `such as "2026-01-31"`}},
		`{` + whole + `,"priority":7,"level":null,"color":"gren","shade":null}`: {
			{"/priority", "unknown value 7", "one of 1 (low), 2 (normal), 3 (high)"},
			{"/color", `unknown value "gren"`, `did you mean "green"?`}},
		`{` + whole + `,"labels":{"a":"x","B":"y"},"zips":{"x":"1","y":null}}`: {
			{"/labels/B", "the name does not match ^[a-z]+$", ""},
			{"/zips/x", `"1" does not match ^[0-9]{5}$`, ""}},
		`{` + whole + `,"labels":{}}`:                        {{"/labels", "needs at least 1 members, got 0", ""}},
		`{` + whole + `,"labels":{"a":"x","b":"y","c":"z"}}`: {{"/labels", "takes at most 2 members, got 3", ""}},
		`{` + whole + `,"labels":{"a":"x","a":"toolong"}}`: {
			{"/labels/a", "takes at most 5 characters, got 7", ""}, {"/labels/a", "given twice", ""}},
		`{` + whole + `,"rows":{"r":[{"n":1},{"m":2}]}}`: {
			{"/rows/r/1/m", "unknown property", `known: "n"`}, {"/rows/r/1/n", "required, but missing", ""}},
		`{` + whole + `,"first":{"to":"a@b.example"},"then":{"ms":5,"do":"wiat"}}`: {
			{"/first/kind", "required, but missing", `one of "mail" or "hook"`},
			{"/then/do", `unknown value "wiat"`, `did you mean "wait"?`}},
		`{` + whole + `,"first":{"to":"nobody","kind":"mail","url":"x"}}`: {
			{"/first/to", `expected an email, got "nobody"`, `such as "ada@example.com"`},
			{"/first/url", "unknown property", `known: "kind", "to" or "copies"`}},
		`{` + whole + `,"then":{"do":"stop"},"channels":[{"kind":"hook","url":"https://a.example","headers":{"x":1}}]}`: {
			{"/channels/0/headers/x", "expected a string, got 1", ""}},
		`{` + whole + `,"work":null,"away":null,"places":[null,{"street":1}],"extra":null}`: {
			{"/work", "expected an object, got null", "leave the property out instead"},
			{"/places/1/street", "expected a string, got 1", ""}},
		`{` + whole + `,"then":[],"first":{"kind":7}}`: {
			{"/then", "expected an object, got []", ""},
			{"/first/kind", "expected a string, got 7", `one of "mail" or "hook"`}},
	} {
		if diff := cmp.Diff(want, readers.check(t, []byte(args))); diff != "" {
			t.Errorf("%s: -want +got\n%s", args, diff)
		}
	}
	for _, args := range []string{`{` + whole + `,"first":{"kind":"mail"`, `{` + whole + `,"labels":{"a"`, `{` + whole + `,"due":nul}`} {
		if len(readers.check(t, []byte(args))) == 0 {
			t.Errorf("%s passes", args)
		}
	}
}
