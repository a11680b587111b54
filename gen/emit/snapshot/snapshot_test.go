package snapshot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/emit/emittest"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/emit/snapshot"
	"github.com/callsheet/callsheet/gen/model"
)

func TestEmitGolden(t *testing.T) {
	files, err := snapshot.Emit(emittest.Toolset())
	if err != nil {
		t.Fatal(err)
	}
	emittest.Golden(t, "testdata/emit.txtar", files)
}

func TestListsNameTheRightTools(t *testing.T) {
	got := map[string]string{}
	for _, l := range snapshot.Lists(emittest.Toolset()) {
		var names []string
		for _, tool := range l.Tools {
			names = append(names, tool.Name)
		}
		got[l.Name] = strings.Join(names, " ")
	}
	want := map[string]string{
		"cold":          "find ping screenshot", // query_dom is tier 2, resume needs paused
		"paused":        "find ping resume screenshot",
		"reader.cold":   "find screenshot",
		"reader.paused": "find screenshot",
		"all":           "find ping screenshot", // query_dom needs connected
		"all.cold":      "find ping screenshot",
		"all.paused":    "find ping query_dom resume screenshot",
		"static":        "find ping resume screenshot",
		"slim":          "find screenshot",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A list is its tools' entries between brackets, and nothing else.
func TestListsAreTheirEntries(t *testing.T) {
	for _, l := range snapshot.Lists(emittest.Synthetic(120)) {
		var entries []json.RawMessage
		if err := json.Unmarshal(l.Data, &entries); err != nil {
			t.Fatalf("%s: %v", l.Name, err)
		}
		var want []string
		for _, tool := range l.Tools {
			want = append(want, string(entryOf(l.Kind, tool)))
		}
		var got []string
		for _, e := range entries {
			got = append(got, string(e))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", l.Name, diff)
		}
		if !slices.IsSortedFunc(l.Tools, func(a, b *model.Tool) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("%s is not sorted by name", l.Name)
		}
	}
}

func TestEmptySetsHaveEmptyLists(t *testing.T) {
	ts := &model.Toolset{Scenarios: []*model.Scenario{{Name: "default"}}, Scopes: []*model.Scope{{Name: "default"}}}
	for _, l := range snapshot.Lists(ts) {
		if string(l.Data) != "[]" {
			t.Errorf("%s: %s", l.Name, l.Data)
		}
	}
	if lists := snapshot.Lists(&model.Toolset{Scenarios: ts.Scenarios}); len(lists) != 0 {
		t.Errorf("without scopes there are %d lists", len(lists))
	}
}

func TestEmitIsDeterministic(t *testing.T) {
	first, err := snapshot.Emit(emittest.Toolset())
	if err != nil {
		t.Fatal(err)
	}
	second, err := snapshot.Emit(emittest.Toolset())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
	for _, f := range first {
		if bytes.Count(f.Data, []byte("\n")) != 1 && !strings.HasSuffix(f.Path, "surface.json") {
			t.Errorf("%s is not one line", f.Path)
		}
	}
}

func BenchmarkEmit(b *testing.B) {
	for _, n := range []int{500, 2000} {
		ts := emittest.Synthetic(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := snapshot.Emit(ts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/tool")
		})
	}
}

func entryOf(k snapshot.Kind, t *model.Tool) []byte {
	switch k {
	case snapshot.Slim:
		return schema.SlimDefinition(t)
	case snapshot.Static:
		return schema.StaticDefinition(t)
	}
	return schema.Definition(t)
}
