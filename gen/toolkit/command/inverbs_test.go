package command_test

import (
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
		if got := command.InVerbs(table(), "prog", message); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", message, got, want)
		}
	}
}

// Whatever a server says: every byte outside of what is replaced stays.
func FuzzInVerbs(f *testing.F) {
	for _, s := range []string{`try page_shot {"clip":{"x":1}}`, `"`, `form_input {"ref":`, "\xff page_shot", ``} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		once := command.InVerbs(nil, "prog", message)
		if once != message {
			t.Errorf("%q becomes %q without a verb", message, once)
		}
		_ = command.InVerbs(table(), "prog", message)
	})
}
