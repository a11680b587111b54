package importer

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/spec"
)

const hints = `"annotations":{"readOnlyHint":true,"openWorldHint":false}`

// People have renamed a, deleted b and described c; the server has another parameter of a, another
// description of c, no d, and a new e.
func TestUpdate(t *testing.T) {
	opt := Options{Upstream: Upstream{URL: "http://h/mcp"}}
	tool := func(name, description, properties string) string {
		return `{"name":"` + name + `","title":"T","description":"` + description + `",` + hints + `,"inputSchema":{"type":"object","properties":{` + properties + `}}}`
	}
	was := list(t, tool("a", "A.", `"x":{"type":"string"}`)+","+tool("b", "B.", "")+","+tool("c", "C.", "")+","+tool("d", "D.", "")+","+tool("f", "F.", ""))
	now := list(t, tool("a", "A.", `"x":{"type":"string"},"z":{"type":"integer"}`)+","+tool("b", "B!", "")+","+tool("c", "C!", "")+","+tool("e", "E.", "")+","+tool("f", "F!", ""))
	const area = "manifest/tools/some_server.yaml"
	imported := Import(was, opt)
	text := file(imported, area)
	before, rest, _ := strings.Cut(text, "  - name: b\n")
	_, after, _ := strings.Cut(rest, "\n\n")
	text = strings.Replace(before+after, "name: a\n", "name: first\n", 1)
	text = strings.Replace(text, "description: C.", "description: Ours.", 1)
	files := []spec.File{{Name: rootFile, Data: []byte(file(imported, rootFile) + "# ours\n")}, {Name: area, Data: []byte(text)}}

	r := Update(files, was, now, opt)
	got := file(r, area)
	for want, there := range map[string]bool{
		"name: first\n": true, "z: {type: integer}": true, "forward: b\n": false, "description: Ours.": true, "C!": false, "forward: d\n": false, "forward: e\n": true,
		`description: "F!"`: true,
	} {
		if strings.Contains(got, want) != there {
			t.Errorf("%q: want %t in\n%s", want, there, got)
		}
	}
	if !strings.HasSuffix(file(r, rootFile), "# ours\n") {
		t.Error("the edit of the root file is gone")
	}
	report := ""
	for _, d := range r.Decisions {
		report += string(d.Kind) + " " + d.Tool + " " + d.What + "\n"
	}
	for _, want := range []string{"dropped d the entry was deleted", "asked c your lines were kept", `+    description: "C!"`} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	if again := Update(r.Files, now, now, opt); file(again, area) != got {
		t.Errorf("a second update changes the manifest:\n%s", file(again, area))
	}
}

func TestMerge3(t *testing.T) {
	for _, c := range []struct{ base, ours, theirs, want string }{
		{"a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n"},
		{"a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n"},
		{"a\n", "a\nx\n", "y\na\n", "y\na\nx\n"},
		{"", "x\n", "x\n", "x\n"},
	} {
		if got, conflicts := merge3(c.base, c.ours, c.theirs); len(conflicts) > 0 || got != c.want {
			t.Errorf("%q %q %q: %q %q", c.base, c.ours, c.theirs, got, conflicts)
		}
	}
	if got, conflicts := merge3("a\nb\n", "a\nx\n", "a\ny\n"); got != "a\nx\n" || len(conflicts) != 1 {
		t.Errorf("%q %q", got, conflicts)
	}
}
