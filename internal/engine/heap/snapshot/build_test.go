package snapshot_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
)

// file is a snapshot under construction.
type file struct {
	nodes   []builtNode
	strings []string
	index   map[string]int
}

type builtNode struct {
	kind, name, id, size, detached int
	edges                          [][3]int // type, name or index, node
}

// The types of nodes and edges that tests use, by their places in the description.
const (
	object, array, text, synthetic          = 3, 1, 2, 9
	element, property, internal, weak, root = 1, 2, 3, 6, 0
)

func newFile() *file {
	f := &file{index: map[string]int{}}
	f.add(synthetic, "", 0)
	return f
}

func (f *file) text(s string) int {
	i, ok := f.index[s]
	if !ok {
		i = len(f.strings)
		f.strings = append(f.strings, s)
		f.index[s] = i
	}
	return i
}

// add adds a node with the next odd id.
func (f *file) add(kind int, name string, size int) int {
	f.nodes = append(f.nodes, builtNode{kind: kind, name: f.text(name), id: 2*len(f.nodes) + 1, size: size})
	return len(f.nodes) - 1
}

func (f *file) link(from, kind, name, to int) {
	f.nodes[from].edges = append(f.nodes[from].edges, [3]int{kind, name, to})
}

func (f *file) linkNamed(from, kind int, name string, to int) { f.link(from, kind, f.text(name), to) }

// description is the member snapshot without its counts.
const description = `"meta":{"node_fields":["type","name","id","self_size","edge_count","detachedness"],` +
	`"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic"],"string","number","number","number","number"],` +
	`"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],` +
	`"location_fields":["object_index","script_id","line","column"]}`

func (f *file) bytes(t testing.TB) []byte {
	t.Helper()
	var nodes, edges []int
	for _, n := range f.nodes {
		nodes = append(nodes, n.kind, n.name, n.id, n.size, len(n.edges), n.detached)
		for _, e := range n.edges {
			edges = append(edges, e[0], e[1], 6*e[2])
		}
	}
	write := func(v any) string {
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if edges == nil {
		edges = []int{}
	}
	counts, err := json.Marshal(map[string]int{"node_count": len(f.nodes), "edge_count": len(edges) / 3})
	if err != nil {
		t.Fatal(err)
	}
	return []byte(`{"snapshot":{` + description + "," + strings.Trim(string(counts), "{}") + "},\n\"nodes\":" + write(nodes) + ",\n\"edges\":" + write(edges) +
		",\n\"trace_tree\":[],\"locations\":[],\n\"strings\":" + write(f.strings) + "}")
}

func read(t testing.TB, data []byte) (*snapshot.Analysis, error) {
	t.Helper()
	g, err := snapshot.Read(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return snapshot.Analyze(t.Context(), g, "")
}

func graph(t testing.TB, f *file) *snapshot.Analysis {
	t.Helper()
	g, err := read(t, f.bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	return g
}
