package sourcemap

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// flat is a map of two files: the generated line "f(1);g(2)" and a line without origin.
const flat = `{"version":3,"sourceRoot":"src","sources":["a.ts","http://elsewhere/b.ts"],"sourcesContent":["let a\nf(1)",null],` +
	`"mappings":"AACA,KCEEA;A"}`

func TestBothDirections(t *testing.T) {
	t.Parallel()
	m, err := Parse([]byte(flat), "http://host/js/app.js.map")
	if err != nil {
		t.Fatal(err)
	}
	a := Source{URL: "http://host/js/src/a.ts", Name: "a.ts", Content: "let a\nf(1)"}
	// The map's sourceRoot is put before every source, absolute or not.
	b := Source{URL: "http://host/js/src/http://elsewhere/b.ts", Name: "http://elsewhere/b.ts"}
	type answer struct {
		O  Original
		Ok bool
	}
	for at, want := range map[Position]answer{
		{0, 0}:  {Original{a, Position{1, 0}}, true},
		{0, 4}:  {Original{a, Position{1, 0}}, true},
		{0, 5}:  {Original{b, Position{3, 2}}, true},
		{0, 99}: {Original{b, Position{3, 2}}, true},
		{1, 0}:  {},
		{7, 0}:  {},
	} {
		o, ok := m.Original(at)
		if diff := cmp.Diff(want, answer{o, ok}); diff != "" {
			t.Errorf("%v (-want +got):\n%s", at, diff)
		}
	}
	isA := func(s Source) bool { return s.Name == "a.ts" }
	for at, want := range map[Position]Position{{0, 0}: {0, 0}, {1, 0}: {0, 0}} {
		if got, ok := m.Generated(isA, at); !ok || got != want {
			t.Errorf("generated of %v: %v, %v", at, got, ok)
		}
	}
	if got, ok := m.Generated(isA, Position{2, 0}); ok {
		t.Errorf("a line after the last: %v", got)
	}
}

func TestSections(t *testing.T) {
	t.Parallel()
	one := `{"version":3,"sources":["%s"],"mappings":"AAAA,CACA"}`
	text := fmt.Sprintf(`)]}'
{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":`+one+`},{"offset":{"line":2,"column":10},"map":`+one+`}]}`, "a", "b")
	m, err := Parse([]byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	o, ok := m.Original(Position{2, 11})
	if want := (Original{Source{URL: "b", Name: "b"}, Position{1, 0}}); !ok || o != want {
		t.Errorf("got %v, %v", o, ok)
	}
	if o, ok := m.Original(Position{2, 9}); ok {
		t.Errorf("before the section: %v", o)
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `[]`, `{}`, `{"version":2}`, `{"version":3,"mappings":"A!"}`, `{"version":3,"mappings":"AA"}`,
		`{"version":3,"mappings":"g"}`, `{"version":3,"mappings":"ggggggggg"}`, `{"version":3,"mappings":"AAAAAA"}`,
		`{"version":3,"sections":[{}]}`, `{"version":3,"sections":[{"offset":{"line":-1},"map":{"version":3}}]}`,
	} {
		if _, err := Parse([]byte(text), ""); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// TestRoundTrip decodes maps of an independent encoder.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type entry struct{ gen, orig Position }
		var entries []entry
		var text strings.Builder
		var last Position
		for line := range rapid.IntRange(1, 5).Draw(t, "lines") {
			if line > 0 {
				text.WriteByte(';')
			}
			column := 0
			for i := range rapid.IntRange(0, 5).Draw(t, "segments") {
				if i > 0 {
					text.WriteByte(',')
				}
				step := rapid.IntRange(1, 5000).Draw(t, "step")
				orig := Position{rapid.IntRange(0, 100000).Draw(t, "line"), rapid.IntRange(0, 300).Draw(t, "column")}
				text.WriteString(vlq(step) + vlq(0) + vlq(orig.Line-last.Line) + vlq(orig.Column-last.Column))
				column, last = column+step, orig
				entries = append(entries, entry{Position{line, column}, orig})
			}
		}
		raw, _ := json.Marshal(map[string]any{"version": 3, "sources": []string{"a"}, "mappings": text.String()})
		m, err := Parse(raw, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if o, ok := m.Original(e.gen); !ok || o.Position != e.orig {
				t.Fatalf("%v is %v, %v; want %v", e.gen, o.Position, ok, e.orig)
			}
			back, ok := m.Generated(func(Source) bool { return true }, e.orig)
			if o, _ := m.Original(back); !ok || o.Position != e.orig {
				t.Fatalf("%v goes to %v, %v, which is %v", e.orig, back, ok, o.Position)
			}
		}
	})
}

// vlq encodes as the format's text says, digit by digit.
func vlq(n int) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	bits := n * 2
	if n < 0 {
		bits = -n*2 + 1
	}
	out := ""
	for {
		digit := bits % 32
		if bits /= 32; bits == 0 {
			return out + string(digits[digit])
		}
		out += string(digits[digit+32])
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(flat), 0, 5)
	f.Add([]byte(`{"version":3,"sections":[{"offset":{"line":1,"column":2},"map":{"version":3,"sources":[null],"mappings":"AAAA;DADD"}}]}`), 1, 2)
	f.Fuzz(func(t *testing.T, text []byte, line, column int) {
		m, err := Parse(text, "http://host/x")
		if err != nil {
			return
		}
		o, ok := m.Original(Position{line, column})
		if !ok {
			return
		}
		if o.Line < 0 || o.Column < 0 {
			t.Errorf("negative: %v", o)
		}
		if _, ok := m.Generated(func(s Source) bool { return s == o.Source }, o.Position); !ok {
			t.Errorf("%v came from nowhere", o)
		}
	})
}
