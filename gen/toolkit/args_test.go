package toolkit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestDecodeAppliesDefaultsOnlyToWhatIsAbsent(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]clickParams{
		`{"ref":"e1"}`: {Ref: "e1", Count: 1, Button: "left"},
		`{"ref":"e1","count":0,"force":false,"offset":0,"comment":"ok"}`: {
			Ref: "e1", Button: "left", Offset: toolkit.Some(0.0), Comment: toolkit.Some("ok")},
		`{"ref":"e1","count":2.0,"button":"right"}`:           {Ref: "e1", Count: 2, Button: "right"},
		"\n{\"r\\u0065f\" : \"e\\u0031\", \"keys\":[\"a\"]} ": {Ref: "e1", Count: 1, Button: "left", Keys: []string{"a"}},
		`{"ref":"e1","clip":{"width":3}}`:                     {Ref: "e1", Count: 1, Button: "left", Clip: &clipParams{Width: 3}},
	} {
		got, err := decodeClick([]byte(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", raw, d)
		}
	}
}

func TestDecodeReportsEveryViolationAtOnce(t *testing.T) {
	t.Parallel()
	raw := `{"buton":"left","count":9,"button":"midle","force":"true","offset":null,"keys":["a",1,"c"],"clip":{"hight":1},"comment":"x","ref":7}`
	_, err := decodeClick([]byte(raw))
	want := toolkit.Violations{
		{Path: "/buton", Problem: "unknown property", Hint: `did you mean "button"?`},
		{Path: "/count", Problem: "must be at most 3, got 9"},
		{Path: "/button", Problem: `unknown value "midle"`, Hint: `did you mean "middle"?`},
		{Path: "/force", Problem: `expected a boolean, got "true"`, Hint: "without the quotes"},
		{Path: "/offset", Problem: "expected a number, got null", Hint: "leave the property out instead"},
		{Path: "/keys/1", Problem: "expected a string, got 1"},
		{Path: "/keys", Problem: "takes at most 2 items, got 3"},
		{Path: "/clip/hight", Problem: "unknown property", Hint: `known: "width"`},
		{Path: "/clip/width", Problem: "required, but missing"},
		{Path: "/comment", Problem: "needs at least 2 characters, got 1"},
		{Path: "/ref", Problem: "expected a string, got 7"},
	}
	var got toolkit.Violations
	if !errors.As(err, &got) {
		t.Fatalf("got error %v, want Violations", err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestDecodeSurvivesWhatIsNotAnObject(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`[1]`, `"x"`, `3`, `{`, `{"ref":`, `{"ref":"e1"}}`, `{"ref":"e1"} {}`, `{"ref":"e1","ref":"e2"}`, "{\"ref\":\"e\xff\"}", `{"count":1e400,"ref":"e1"}`} {
		if _, err := decodeClick([]byte(raw)); err == nil {
			t.Errorf("%s was accepted", raw)
		}
	}
	for _, raw := range []string{``, `null`, ` {} `} {
		if _, err := none([]byte(raw)); err != nil {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func TestViolationsStayReadable(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"` + strings.Repeat("é", 1000) + `":1`)
	for i := range 1000 {
		raw = fmt.Appendf(raw, `,"x%d":%q`, i, strings.Repeat("y", 1000))
	}
	_, err := decodeClick(append(raw, '}'))
	var v toolkit.Violations
	if !errors.As(err, &v) || len(v) != 20 || len(v.Error()) > 6000 || !utf8.ValidString(v.Error()) {
		t.Errorf("%d violations in %d bytes", len(v), len(err.Error()))
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"ref":"e1"}`, `{"ref":7,"keys":[[]]}`, `{"clip":{"width":[{}]}}`, `[`, `{"ref":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := decodeClick(raw)
		if err == nil && (p.Ref == "" || p.Count < 0 || p.Count > 3) {
			t.Errorf("%q passed as %+v", raw, p)
		}
		var v toolkit.Violations
		if err != nil && (!errors.As(err, &v) || len(v) == 0) {
			t.Errorf("%q: error without violations: %v", raw, err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	raw := []byte(`{"ref":"e42","count":2,"button":"right","force":true}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeClick(raw); err != nil {
			b.Fatal(err)
		}
	}
}
