package params_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/params"
)

func reader(t *testing.T, yaml string) *params.Decoder {
	t.Helper()
	d, err := compile(yaml)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// compile returns the decoder of a property mapping.
func compile(yaml string) (*params.Decoder, error) {
	d, diags := yamltree.ReadDocument(yamltree.File{Name: "p.yaml", Data: []byte(yaml)}, paramspec.Grammar("a file"))
	if d == nil {
		return nil, fmt.Errorf("%v", diags)
	}
	in, more := paramspec.Read(d, d.Root)
	o, last := paramspec.Resolve("P", in)
	if len(diags)+len(more)+len(last) > 0 {
		return nil, fmt.Errorf("%v %v %v", diags, more, last)
	}
	return params.Compile(o), nil
}

const objectDecoder = `
url: {type: string, required: true, minLength: 3}
n: {type: integer, minimum: 1, maximum: 9, default: 2}
f: {type: number}
on: {type: boolean, default: true}
mode: {type: string, enum: [fast, full]}
tags: {type: array, maxItems: 2, items: {type: string}}
size: {type: object, properties: {w: {type: integer, required: true}, h: {type: integer, default: 5}}}
`

func TestRead(t *testing.T) {
	got, err := reader(t, objectDecoder).Decode([]byte(`{"url":"0123","f":1.5,"tags":["a"],"size":{"w":2.0}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"url": "0123", "n": int64(2), "f": 1.5, "on": true, "tags": []any{"a"},
		"size": map[string]any{"w": int64(2), "h": int64(5)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The words are those of the generated readers: one list with everything that is wrong.
func TestViolations(t *testing.T) {
	_, err := reader(t, objectDecoder).Decode([]byte(`{"n":"3","mode":"fats","tags":["a","b","c"],"size":{"w":1.5},"ulr":1}`))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{`/n: expected an integer, got "3" (without the quotes)`,
		`unknown value "fats" (did you mean "fast"?)`,
		"/tags: takes at most 2 items, got 3", "/size/w: expected an integer, got 1.5",
		`/ulr: unknown property (did you mean "url"?)`,
		"/url: required, but missing"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"url":"abc","tags":[1,{}],"size":null}`))
	r, err := compile(objectDecoder)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if out, err := r.Decode(data); err == nil && len(out["url"].(string)) < 3 {
			t.Fatalf("%v", out)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	r, err := compile(objectDecoder)
	if err != nil {
		b.Fatal(err)
	}
	raw := []byte(`{"url":"http://localhost/","n":3,"tags":["a"],"size":{"w":2}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAnOpenObjectTakesAnyMembers(t *testing.T) {
	t.Parallel()
	read := reader(t, "args: {type: object, required: true, additionalProperties: true}\n")
	got, err := read.Decode([]byte(`{"args":{"url":"x","deep":{"n":[1,null]}}}`))
	want := map[string]any{"args": map[string]any{"url": "x", "deep": map[string]any{"n": []any{1.0, nil}}}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v, %v", d, err)
	}
	for _, bad := range []string{`{"args":"{}"}`, `{"args":[]}`, `{"args":null}`, `{}`} {
		if _, err := read.Decode([]byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
