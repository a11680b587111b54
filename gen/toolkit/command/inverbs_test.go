package command_test

import (
	"slices"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/command"
)

func TestInVerbs(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`nothing is open; call navigate first`:                      `nothing is open; call prog back first`, // the table has no other verb of it
		`navigate away`:                                             `navigate away`,
		`unknown ref "e7"; call page_shot {} for another`:           `unknown ref "e7"; call prog shot for another`,
		`refused; try interact {"ref":"e3","action":"hover"}.`:      `refused; try prog click e3 --action hover.`,
		`try interact {"query":"Sign in"}`:                          `try prog click "Sign in"`,
		`try form_input {"ref":"e3","value":"it's \"so\""}`:         `try prog type e3 --text 'it'\''s "so"'`,
		`try page_shot {"fullPage":true,"tags":["a","b"]}`:          `try prog shot --full-page --tag '["a","b"]'`,
		`try page_shot {"mode":"interactive"}`:                      `try prog shot --interactive`,
		`try page_shot {"unknown":1}`:                               `try page_shot {"unknown":1}`,
		`the page says "call form_input {} now", form_input is not`: `the page says "call form_input {} now", form_input is not`,
		`see page_shot, form_input`:                                 `see prog shot, prog type`,
		`/tmp/page_shot.png and page_shot.png`:                      `/tmp/page_shot.png and page_shot.png`,
		`the rule "x" denies: tool page_shot; use form_input`:       `the rule "x" denies: tool page_shot; use prog type`,
		`go on with form_input, page_shot or interact`:              `go on with prog type, prog shot or prog click`,
		`Ünfug: form_input does that`:                               `Ünfug: prog type does that`,
		`an open "quote with form_input`:                            `an open "quote with form_input`,
		`form_input`:                                                `form_input`,
	} {
		if got := command.InVerbs(table(), "prog", nil, message); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", message, got, want)
		}
	}
}

// Arguments without a tool are written as the called verb takes them.
func TestInVerbsOfACall(t *testing.T) {
	t.Parallel()
	verbs := append(table(), command.Verb{Name: "scroll", Flags: []command.Param{{Name: "ref", Property: "ref"}, {Name: "tab-id", Property: "tabId"}}})
	for _, c := range []struct{ verb, message, want string }{
		{"click", `"Buy" fits several; choose one, as {"ref":"e1"}: button`, `"Buy" fits several; choose one, as e1: button`},
		{"scroll", `choose one, as {"ref":"e1"}: button`, `choose one, as --ref e1: button`},
		{"scroll", `name the tab, as {"ref":"e1","tabId":"t 2"}`, `name the tab, as --ref e1 --tab-id "t 2"`},
		{"back", `choose one, as {"ref":"e1"}`, `choose one, as {"ref":"e1"}`},
		{"scroll", `the page has {"ref":"e1"}`, `the page has {"ref":"e1"}`},
		{"scroll", `choose one, as {"ref":"e1","query":"x"}`, `choose one, as {"ref":"e1","query":"x"}`},
		{"scroll", `as {"ref":`, `as {"ref":`},
	} {
		verb := &verbs[slices.IndexFunc(verbs, func(v command.Verb) bool { return v.Name == c.verb })]
		if got := command.InVerbs(verbs, "prog", verb, c.message); got != c.want {
			t.Errorf("%s: %s\nbecomes %s\nwant    %s", c.verb, c.message, got, c.want)
		}
	}
}

// Whatever a server says: every byte outside of what is replaced stays.
func FuzzInVerbs(f *testing.F) {
	for _, s := range []string{`try page_shot {"clip":{"x":1}}`, `"`, `form_input {"ref":`, "\xff page_shot", ``} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		once := command.InVerbs(nil, "prog", nil, message)
		if once != message {
			t.Errorf("%q becomes %q without a verb", message, once)
		}
		_ = command.InVerbs(table(), "prog", nil, message)
	})
}
