package scope

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

const (
	root = `version: 1
include: [page.yaml]
capabilities: {core: {title: Core, description: d}, other: {title: Other, description: d}}
scenarios: {cold: []}
facts: {connected: A connection is active.}
scopes: {default: {status: frozen, since: "2"}, browser: {status: frozen, since: "3"}, beta: {status: open, since: "1"}}
surfaces: {clipboard: {description: The clipboard.}, download: {description: Downloads.}, evaluate: {description: Script.}, file: {description: Files.}, navigation: {description: Addresses.}}
`
	tools = `tools:
  - name: read
    title: Read
    description: Reads.
    capability: core
    scope: [default, browser, beta]
    effects: {read_only: true, destructive: false, idempotent: true, open_world: false}
    visible: always
    input:
      mode: {type: string, enum: [a, b], default: a, description: How.}
      count: {type: integer, minimum: 1, maximum: 9}
      name: {type: string, minLength: 1, maxLength: 9, pattern: '^x'}
      list: {type: array, items: {type: object, properties: {x: {type: number, required: true}}}, minItems: 1, maxItems: 3}
      flag: {type: boolean, default: true}
    output: {done: {type: boolean, required: true}}
    require_when: [{when: {mode: [a, b]}, any: [count, name]}]
`
)

func resolve(t interface{ Fatal(...any) }, tools string) *model.Toolset {
	return resolveWith(t, root, tools)
}

func resolveWith(t interface{ Fatal(...any) }, root, tools string) *model.Toolset {
	tree, diags := spec.Parse("m/tools.yaml", []spec.File{{Name: "m/tools.yaml", Data: []byte(root)}, {Name: "m/page.yaml", Data: []byte(tools)}})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	set, diags := model.Resolve("example.com/m", tree)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return set
}

// Each promise of the contract changes the hash, and nothing else does.
func TestHash(t *testing.T) {
	was := Hash(resolve(t, tools).Tools[0])
	if len(was) != hashLength {
		t.Fatalf("%q", was)
	}
	for _, edit := range []struct {
		from, to string
		same     bool
	}{
		{"title: Read", "title: Look", true},
		{"Reads.", "Looks.", true},
		{", description: How.", "", true},
		{"capability: core", "capability: other\n    tier: 2", true},
		{"[a, b], default", "[b, a], default", true},
		{"mode: [a, b]", "mode: [b, a]", true},
		{"any: [count, name]", "any: [name, count]", true},
		{"read_only: true", "read_only: false", false},
		{"default: a", "default: b", false},
		{", default: a", "", false},
		{"enum: [a, b]", "enum: [a, b, c]", false},
		{"minimum: 1,", "", false},
		{"maximum: 9", "maximum: 8", false},
		{"minLength: 1", "minLength: 2", false},
		{"maxLength: 9", "maxLength: 8", false},
		{"^x", "^y", false},
		{"x: {type: number, required: true}", "x: {type: number}", false},
		{"x: {type: number", "x: {type: integer", false},
		{"x: {type", "y: {type", false},
		{"minItems: 1", "minItems: 2", false},
		{"maxItems: 3", "maxItems: 4", false},
		{"flag: {type: boolean, default: true}", "flag: {type: boolean, default: false}", false},
		{"flag: {type: boolean, default: true}", "flag: {type: boolean}", false},
		{"any: [count", "one: [count", false},
		{"mode: [a, b]}", "mode: [a]}", false},
		{"    output: {done: {type: boolean, required: true}}\n", "", false},
		{"output: {done: {type: boolean, required: true}}", "output: {}", false},
	} {
		if !strings.Contains(tools, edit.from) {
			t.Fatalf("nothing to edit: %q", edit.from)
		}
		now := Hash(resolve(t, strings.Replace(tools, edit.from, edit.to, 1)).Tools[0])
		if (now == was) != edit.same {
			t.Errorf("%q → %q: same is %v", edit.from, edit.to, now == was)
		}
	}
}

// The order of properties is documentation and no promise.
func TestHashIgnoresOrder(t *testing.T) {
	set := resolve(t, tools)
	was := Hash(set.Tools[0])
	rapid.Check(t, func(rt *rapid.T) {
		props := slices.Clone(set.Tools[0].Input.Properties)
		set.Tools[0].Input.Properties = rapid.Permutation(props).Draw(rt, "properties")
		if now := Hash(set.Tools[0]); now != was {
			rt.Fatalf("%s became %s", was, now)
		}
	})
}

// Whatever is frozen passes the check, and freezing again keeps the decisions of rows that have not changed.
func TestFreeze(t *testing.T) {
	set := resolve(t, tools)
	day := time.Date(2026, 9, 1, 23, 0, 0, 0, time.FixedZone("west", -3600))
	first, err := Freeze(set, nil, Entry{Who: "Ann \"A\"", Why: "it's: ready\n#1", When: day})
	if err != nil {
		t.Fatal(err)
	}
	lock := parse(t, first)
	if diags := Check(set, lock); len(diags) > 0 {
		t.Errorf("%v", diags)
	}
	if e := lock.Scopes[0].Tools[0].Decided; e.Date.Value != "2026-09-02" || e.Who.Value != "Ann \"A\"" || e.Why.Value != "it's: ready\n#1" {
		t.Errorf("%+v", e)
	}
	more := resolve(t, tools+strings.Replace(strings.TrimPrefix(tools, "tools:\n"), "name: read", "name: find", 1))
	for _, s := range more.Scopes {
		s.Since = "9"
	}
	second, err := Freeze(more, lock, Entry{Who: "B", Why: "find", When: day})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	grown := parse(t, second)
	for _, s := range grown.Scopes {
		for _, tool := range s.Tools {
			got = append(got, s.Name.Value+" "+tool.Tool.Value+" "+tool.Since.Value+" "+tool.Decided.Who.Value)
		}
	}
	if diff := cmp.Diff([]string{"default find 9 B", "default read 2 Ann \"A\"", "browser find 9 B", "browser read 3 Ann \"A\""}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Freeze(set, nil, Entry{Who: "A", Why: " "}); err == nil {
		t.Error("a freeze without a reason")
	}
}

func TestCheck(t *testing.T) {
	set := resolve(t, tools)
	lock := parse(t, []byte(`version: 1
scopes:
  default:
    - {tool: gone, schema: "0", since: "1"}
    - {tool: read, schema: "0", since: "1"}
  browser: []
  beta: []
  lost: []
`))
	var got []string
	for _, d := range Check(set, lock) {
		got = append(got, d.Rule+" "+d.Pos.String()+" "+d.Hint[strings.Index(d.Hint, "--why"):])
	}
	want := []string{
		`scope-added m/page.yaml:2:11 --why "add read: …"`,
		`scope-removed m/tools.yaml:6:10 --why "remove gone: …"`,
		`scope-removed m/tools.yaml:6:88 --why "open beta: …"`,
		`scope-removed lock.yaml:8:3 --why "drop scope lost: …"`,
		`scope-changed m/page.yaml:2:11 --why "change read: …"`,
		`lock-edited lock.yaml --why "…"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	for _, d := range Check(set, nil) {
		got = append(got, d.Rule+" "+d.Pos.String())
	}
	if diff := cmp.Diff([]string{"scope-unlocked m/tools.yaml:6:10", "scope-unlocked m/tools.yaml:6:49"}, got); diff != "" {
		t.Error(diff)
	}
}

func parse(t *testing.T, text []byte) *spec.Lock {
	t.Helper()
	lock, diags := spec.ParseLock(spec.File{Name: "lock.yaml", Data: text})
	if len(diags) > 0 {
		t.Fatalf("%v\n%s", diags, text)
	}
	return lock
}

// Each term that a client is promised changes what the lock says of the tool, and nothing else
// does.
func TestTerms(t *testing.T) {
	set := resolve(t, tools)
	text, err := Freeze(set, nil, Entry{Who: "A", Why: "first", When: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	lock := parse(t, text)
	for _, edit := range []struct {
		from, to string
		want     string // where, and the beginning of the message; "" where nothing is wrong
	}{
		{"[a, b], default", "[b, a], default", ""},
		{"title: Read", "title: Look", `m/page.yaml:4:18 "read" has another title`},
		{"Reads.", "Looks.", `m/page.yaml:4:18 "read" has another title`},
		{", description: How.", "", `m/page.yaml:4:18 "read" has another title`},
		{"{x: {type: number,", "{x: {type: number, description: Across.,", `m/page.yaml:4:18 "read" has another title`},
		{"done: {type: boolean,", "done: {type: boolean, description: Or not.,", `m/page.yaml:4:18 "read" has another title`},
		{"visible: always", "visible: always\n    slim: {description: Reads., input: [mode]}", `m/page.yaml:4:18 "read" has another title`},
		{"visible: always", "visible: always\n    asks: [elicitation]\n    confirm: Read it?", `m/page.yaml:4:18 "read" has another title, description, question`},
		{"visible: always", "visible: always\n    tier: 2", `m/page.yaml:9:11 "read" was in tier 1 and is in tier 2`},
		{"visible: always", "visible: always\n    listed: \"!connected\"", `m/page.yaml:9:13 "read" was listed by its tier and is when !connected`},
		{"capability: core", "capability: other", `m/page.yaml:5:17 "read" was of capability "core" and is of "other"`},
		{"visible: always", "visible: always\n    surfaces: [file, download]", `m/page.yaml:9:16 "read" had the policy surfaces [] and has [download, file]`},
	} {
		if !strings.Contains(tools, edit.from) {
			t.Fatalf("nothing to edit: %q", edit.from)
		}
		var got string
		for _, d := range Check(resolve(t, strings.Replace(tools, edit.from, edit.to, 1)), lock) {
			got = d.Pos.String() + " " + d.Message
			if d.Rule != "scope-changed" || d.Related == nil || d.Hint == "" {
				t.Errorf("%+v", d)
			}
		}
		if edit.want == "" && got != "" || !strings.HasPrefix(got, edit.want) {
			t.Errorf("%q → %q: %s", edit.from, edit.to, got)
		}
	}
}
