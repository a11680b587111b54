package learn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/site/learn"
	"github.com/callsheet/callsheet/internal/site/source"
)

// learned learns a tool of recordings and returns it with its file.
func learned(t *testing.T, recordings ...[]recorder.Step) (*learn.Draft, string) {
	t.Helper()
	d, err := learn.Learn("save_item", recordings)
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.File()
	if err != nil {
		t.Fatal(err)
	}
	return d, string(text)
}

func opened(address string) recorder.Step {
	return step("navigate", fmt.Sprintf(`{"url":%q}`, address), locate.Identity{})
}

func save(leads string) recorder.Step {
	return step("interact", `{"ref":"e9"}`, locate.Identity{Role: "button", Name: "Save", Leads: leads})
}

// TestNumbersStayNumbers: a constant argument of a tool that takes a number is one in the file.
func TestNumbersStayNumbers(t *testing.T) {
	t.Parallel()
	record := func(x string) []recorder.Step {
		return []recorder.Step{opened("http://a.example/"), step("computer", `{"action":"scroll","coordinate":[`+x+`,7.50],"scroll_amount":9,"big":12345678901234567890}`, locate.Identity{}), save("")}
	}
	_, text := learned(t, record("1"), record("1"))
	for _, want := range []string{"scroll_amount: 9\n", "big: 12345678901234567890\n", "- 1\n", "- 7.50\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	_, text = learned(t, record("1"), record("2"))
	if !strings.Contains(text, `- "{value}"`) || !strings.Contains(text, "- 7.50\n") || !strings.Contains(text, "type: integer") {
		t.Errorf("with another coordinate:\n%s", text)
	}
}

// TestNumbersThatAreTexts: a phone of digits alone is a text, as the next one may begin with 0.
func TestNumbersThatAreTexts(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{"Phone": "string", "Post code": "string", "Account no": "string", "Guests": "integer", "Cardinality": "integer"} {
		record := func(value string) []recorder.Step {
			return []recorder.Step{opened("http://a.example/"), step("form_input", fmt.Sprintf(`{"ref":"e2","value":%q}`, value), field(label)), save("")}
		}
		if _, text := learned(t, record("5551234567"), record("5557654321")); !strings.Contains(text, "type: "+want) {
			t.Errorf("%s is no %s:\n%s", label, want, text)
		}
	}
}

// TestSecretsOfEachRecording: what one recording has masked stands in no file, though another one has its
// text.
func TestSecretsOfEachRecording(t *testing.T) {
	t.Parallel()
	record := func(value string, masked bool) []recorder.Step {
		s := step("form_input", fmt.Sprintf(`{"ref":"e2","value":%q}`, value), field("Pin"))
		if masked {
			s.MaskedPointers = []string{"/value"}
		}
		return []recorder.Step{opened("http://a.example/"), s, save("")}
	}
	d, text := learned(t, record("1234", false), record("[masked]", true))
	if strings.Contains(text, "1234") || !strings.Contains(text, `"{secret:UNNAMED_PIN}"`) || len(d.Secrets()) != 1 {
		t.Errorf("secrets %v in\n%s", d.Secrets(), text)
	}
}

// TestSecretsExplainNoLink: a secret has no value, and explains no difference between links.
func TestSecretsExplainNoLink(t *testing.T) {
	t.Parallel()
	record := func(leads, note string) []recorder.Step {
		pin := step("form_input", `{"ref":"e2","value":"[masked]"}`, field("Pin"))
		pin.MaskedPointers = []string{"/value"}
		return []recorder.Step{opened("http://a.example/"), pin, step("form_input", fmt.Sprintf(`{"ref":"e3","value":%q}`, note), field("Note")), save(leads)}
	}
	d, _ := learned(t, record("POST /a", ""), record("POST /b", "b"))
	if id := d.Steps[2].Targets["/ref"]; id.Leads != "" {
		t.Errorf("it leads to %s", id.Leads)
	}
	d, _ = learned(t, record("POST /a", "a"), record("POST /b", "b"))
	if id := d.Steps[2].Targets["/ref"]; id.Leads != "POST /{note}" {
		t.Errorf("it leads to %s", id.Leads)
	}
}

// TestArgumentsThatDiffer: an argument that one recording lacks is reported and left out, and so is a list of
// another length.
func TestArgumentsThatDiffer(t *testing.T) {
	t.Parallel()
	record := func(args string) []recorder.Step {
		return []recorder.Step{opened("http://a.example/"), step("form_input", args, field("Name")), save("")}
	}
	d, _ := learned(t, record(`{"ref":"e1","value":"a"}`), record(`{"ref":"e1","value":"a","mode":"append"}`))
	if args := fmt.Sprint(d.Steps[0].Args); args != "map[value:a]" || !strings.Contains(strings.Join(d.Notes, "\n"), "/mode of form_input") {
		t.Errorf("arguments %s, notes %q", args, d.Notes)
	}
	d, _ = learned(t, record(`{"ref":"e1","value":["a","b"]}`), record(`{"ref":"e1","value":["a"]}`))
	if args := fmt.Sprint(d.Steps[0].Args); args != "map[value:[a b]]" || len(d.Parameters) != 0 || !strings.Contains(strings.Join(d.Notes, "\n"), "/value of form_input") {
		t.Errorf("arguments %s, notes %q", args, d.Notes)
	}
	// a number of which a part is a known value is no text with a placeholder
	both := func(n, scroll string) []recorder.Step {
		return []recorder.Step{opened("http://a.example/"), step("form_input", `{"ref":"e1","value":"`+n+`"}`, field("Count")),
			step("interact", `{"ref":"e1","timeout":`+scroll+`}`, locate.Identity{Role: "button", Name: "Wait"}), save("")}
	}
	d, _ = learned(t, both("3", "13"), both("5", "15"))
	if args := fmt.Sprint(d.Steps[1].Args); args != "map[timeout:{wait}]" {
		t.Errorf("arguments %s", args)
	}
}

// TestAddresses: an address that a step opens is a path with parameters, as the start is.
func TestAddresses(t *testing.T) {
	t.Parallel()
	record := func(origin, slug, query string) []recorder.Step {
		return []recorder.Step{opened(origin + "/"), save(""), opened(origin + "/items/" + slug + "?q=" + query), save("")}
	}
	d, text := learned(t, record("http://a.example", "lamp", "red+%26+blue"), record("http://a.example", "chair", "a%2Bb"))
	if got := d.Steps[1].Args["url"]; got != "/items/{item}?q={q}" || d.Examples[0]["q"] != "red & blue" || d.Examples[1]["q"] != "a+b" {
		t.Errorf("the address is %v, examples %v\n%s", got, d.Examples, text)
	}
	d, _ = learned(t, record("http://a.example", "lamp", "x"), record("http://b.example", "lamp", "x"))
	notes := strings.Join(d.Notes, "\n")
	if got := d.Steps[1].Args["url"]; got != "/items/lamp?q=x" || d.Origin != "http://a.example" || strings.Count(notes, `"http://b.example"`) != 1 || len(d.Parameters) != 0 {
		t.Errorf("the address is %v of %s, notes %q, parameters %v", got, d.Origin, d.Notes, d.Parameters)
	}
	d, _ = learned(t, []recorder.Step{opened("http://a.example/x?b"), save("")}, []recorder.Step{opened("http://a.example/x/b"), save("")})
	if d.Start != "/x?b" || len(d.Notes) < 1 {
		t.Errorf("the start is %s, notes %q", d.Start, d.Notes)
	}
}

// TestLabelsOfPages: a label is text of a page. It ends no comment, is no key of YAML, and stays UTF-8.
func TestLabelsOfPages(t *testing.T) {
	t.Parallel()
	record := func(label, value string) []recorder.Step {
		return []recorder.Step{opened("http://a.example/"), step("form_input", fmt.Sprintf(`{"ref":"e2","value":%q}`, value), field(label)),
			step("interact", `{"ref":"e1"}`, locate.Identity{Role: "link\rpowers: [script]", Name: label + value, TestID: "x"}), save("")}
	}
	for _, label := range []string{"Übung", "null", "Yes", "True", "no", "ON", "~", "名前", "a\rb: c\u2028d", "# x", "- y", "{name}"} {
		_, text := learned(t, record(label, "a"), record(label, "b"))
		site := "version: 1\nname: shop\ndescription: A shop.\norigins: [\"http://a.example\"]\n"
		read, diags := source.Parse("s", []spec.File{{Name: "s/site.yaml", Data: []byte(site)}, {Name: "s/tools/save_item.yaml", Data: []byte(text)}})
		if len(diags) > 0 || len(read.Tools) != 1 || len(read.Tools[0].Powers) != 0 || len(read.Tools[0].Input.Properties) != 1 {
			t.Errorf("%q: %v\n%s", label, diags, text)
			continue
		}
		if got := read.Tools[0].Steps[0].Targets["/ref"].Identity.Name; got != label {
			t.Errorf("%q is %q", label, got)
		}
	}
}
