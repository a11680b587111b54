package terminal

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestObject(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"count":2,"tabs":[{"id":"t1","title":"One","n":5},{"id":"t20","n":10}]}`: "count: 2\nid   title   n\nt1   One     5\nt20         10\n",
		`{"a":true,"b":"x\ny","c":null}`:                                           "a: true\nb: x y\nc:\n",
		`{"none":[]}`:                                                              "",
		`{"deep":{"a":1}}`:                                                         "!",
		`{"list":[1,2]}`:                                                           "!",
		`[1]`:                                                                      "!",
		`{"rows":[{"a":{}}]}`:                                                      "!",
	} {
		var out bytes.Buffer
		shown, err := New(&out).Object([]byte(raw))
		if err != nil || shown != (want != "!") || shown && strings.ReplaceAll(out.String(), " \n", "\n") != want {
			t.Errorf("%s: %v %v %q, want %q", raw, shown, err, out.String(), want)
		}
	}
}

func TestStylesOnlyOnTerminals(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := New(&out)
	s.Progress(1, 2, "half")
	if got := s.Style(Red, "x"); got != "x" || out.Len() > 0 {
		t.Errorf("%q %q", got, out.String())
	}
	s = &Screen{w: &out, tty: true, color: true}
	s.Progress(1, 2, "half\x1b[2J"+strings.Repeat("x", 200))
	if err := s.Line("done"); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if !strings.HasPrefix(got, "\x1b[2m 50% half\uFFFD[2Jx") || !strings.HasSuffix(got, "…\x1b[0m\r\x1b[Kdone\n") {
		t.Errorf("%q", got)
	}
}

// Whatever a page says, no character of it can command a terminal.
func TestPlain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		got := Plain(rapid.String().Draw(t, "text"))
		if i := strings.IndexFunc(got, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }); i >= 0 {
			t.Fatalf("%q", got)
		}
	})
}

func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":1}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var out bytes.Buffer
		if shown, err := New(&out).Object(raw); err != nil || !shown && out.Len() > 0 {
			t.Errorf("%v %v %q", shown, err, out.String())
		}
	})
}
