package instruction_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/site/instruction"
)

func TestParse(t *testing.T) {
	t.Parallel()
	type step = instruction.Step
	for text, want := range map[string][]step{
		`click Sign in`:                                  {{Action: "click", Query: "Sign in"}},
		`Click on the "Save and close" button.`:          {{Action: "click", Query: `Save and close button`}},
		`double-click Row 3; right click Row 4`:          {{Action: "double_click", Query: "Row 3"}, {Action: "right_click", Query: "Row 4"}},
		`type "Ann, then Bob" in Name, then press Enter`: {{Action: "set", Query: "Name", Value: "Ann, then Bob"}, {Action: "key", Value: "Enter"}},
		`fill Email with a@b.org and click Next`:         {{Action: "set", Query: "Email", Value: "a@b.org"}, {Action: "click", Query: "Next"}},
		`select Green from the Colour list`:              {{Action: "set", Query: "Colour list", Value: "Green"}},
		"check I agree\nuncheck News":                    {{Action: "set", Query: "I agree", Value: "true"}, {Action: "set", Query: "News", Value: "false"}},
		`press Control+a and then press Delete`:          {{Action: "key", Value: "Control+a"}, {Action: "key", Value: "Delete"}},
		`scroll down, scroll to Terms and conditions`:    {{Action: "scroll", Value: "down"}, {Action: "scroll", Query: "Terms and conditions"}},
		`go to http://127.0.0.1:1/a, wait for "Done"`:    {{Action: "navigate", Value: "http://127.0.0.1:1/a"}, {Action: "wait", Value: "Done"}},
		`wait 2 seconds then wait 50 ms`:                 {{Action: "wait", Value: "2000"}, {Action: "wait", Value: "50"}},
		`please hover over Products`:                     {{Action: "hover", Query: "Products"}},
	} {
		got, err := instruction.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", text, d)
		}
	}
	for _, text := range []string{"", " . ", "buy milk", "click", "click \"\"", "click Save, then dance", "type in Name", strings.Repeat("click a; ", 21)} {
		var e *instruction.ParseError
		if got, err := instruction.Parse(text); !errors.As(err, &e) {
			t.Errorf("%q gives %v, %v", text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`click A, then type "b" in C`, "press Enter", `“x” ‘y’ 'z`, "wait 99999999999999999999 s", "\xff\x00click"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		steps, err := instruction.Parse(text)
		if (err == nil) != (len(steps) > 0) {
			t.Fatalf("%q: %d steps, %v", text, len(steps), err)
		}
		for _, s := range steps {
			if s.Action == "" || s.Query == "" && s.Value == "" && s.Action != instruction.Type {
				t.Fatalf("%q: empty step %+v", text, s)
			}
		}
	})
}
