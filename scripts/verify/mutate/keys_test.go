package main

import (
	"fmt"
	"path"
	"regexp"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/spec"
)

// named matches the names of entries in the path of a value, each behind the key of its section.
var named = regexp.MustCompile(`(/(?:capabilities|facts|surfaces|types|properties|powers|refusals|fields|roles|shows|record|replay|not|events|scenarios|scopes|profiles|found))/[^/]+`)

// TestEveryKeyIsSigned changes the first value under each key of the root file: a rule refuses every change.
func TestEveryKeyIsSigned(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles the manifest for each key")
	}
	v, err := newVerifier("../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.close)
	var root any
	if err := yaml.UnmarshalWithOptions([]byte(v.plain[rootFile]), &root, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	lock, diags := spec.ParseLock(spec.File{Name: gen.LockFile, Data: []byte(v.plain[gen.LockFile])})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	tried := map[string]bool{"/version": true, "/include": true}
	var change func(at string, value any, set func(any))
	change = func(at string, value any, set func(any)) {
		var other any
		switch value := value.(type) {
		case yaml.MapSlice:
			for i := range value {
				change(path.Join(at, fmt.Sprint(value[i].Key)), value[i].Value, func(v any) { value[i].Value = v })
			}
			return
		case []any:
			for i := range value {
				change(at, value[i], func(v any) { value[i] = v })
			}
			return
		case bool:
			other = !value
		case uint64:
			other = value + 1
		default:
			other = fmt.Sprint(value) + " indeed"
		}
		key := named.ReplaceAllString(at, "$1/*")
		if tried[key] {
			return
		}
		tried[key] = true
		set(other)
		defer set(value)
		text, err := yaml.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		edited, err := v.plain.with([]edit{replace(rootFile, string(text))})
		if err != nil {
			t.Fatal(err)
		}
		now, diags := gen.Lint(edited.source(v.module))
		if len(texts(diags)) == 0 && len(scope.Check(now, lock)) == 0 {
			t.Errorf("%s: no rule refuses the change of %s", rootFile, key)
		}
	}
	change("/", root, func(v any) { root = v })
	if len(tried) < 60 {
		t.Errorf("%d keys are tried", len(tried))
	}
}
