package act_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

const (
	transferForm = `<form><p>Current password: <input type=password id=old></p><p>New password: <input type=password id=fresh></p>
<p>Amount: <input id=amount></p><p>Recipient IBAN: <input id=iban></p></form>`
	twoAddresses = `<fieldset><legend>Home address</legend><label>City <input id=home></label></fieldset>
<fieldset><legend>Work address</legend><label>City <input id=work></label></fieldset>`
)

// TestFieldsByTheirLabels sets the field that a text on its line or above it labels, by every tool that sets.
func TestFieldsByTheirLabels(t *testing.T) {
	t.Parallel()
	for _, set := range settersByName {
		c, _ := openHTML(t, transferForm)
		set.expect(c, "Amount", "500", "textbox")
		set.expect(c, "New password", "hunter2", "textbox")
		c.ExpectScript("[old.value, fresh.value, amount.value, iban.value].join()", ",hunter2,500,")
	}
}

// TestFieldsAreNotNamedByTheirNeighbours refuses the words of a link, a heading, a button and another field,
// with the fields that are near.
func TestFieldsAreNotNamedByTheirNeighbours(t *testing.T) {
	t.Parallel()
	for body, query := range map[string]string{
		`<a href=#f>Forgot password?</a><label>Password <input type=password></label>`: "Forgot password?",
		`<h2>Delete account</h2><label>Your name <input></label>`:                      "Delete account",
		`<button>Add item</button><label><input type=checkbox>Terms</label>`:           "Add item",
		`<label>Recipient <input name=amount></label>`:                                 "amount",
		`<p>Amount <a href=#h>?</a></p><p><input></p>`:                                 "Amount",
	} {
		c, _ := openHTML(t, body)
		for _, set := range settersByName {
			if text := set.refuse(c, "NOT_FOUND", query, "true"); !strings.Contains(body, "name=amount") && !strings.Contains(body, "?</a></p>") && !strings.Contains(text, "nearest are") {
				t.Errorf("%s: %s names no field near: %s", set.tool, query, text)
			}
		}
		c.ExpectScript("[...document.querySelectorAll('input')].map((i) => i.value + i.checked).join().replace('on', '')", "false")
	}
}

// TestEqualFieldsAreAmbiguous refuses a name that two fields have, says what tells them apart, and takes that.
func TestEqualFieldsAreAmbiguous(t *testing.T) {
	t.Parallel()
	for _, set := range settersByName {
		c, _ := openHTML(t, twoAddresses)
		text := set.refuse(c, "AMBIGUOUS", "City", "Oslo")
		for _, legend := range []string{"Home address", "Work address"} {
			if !strings.Contains(text, legend) {
				t.Errorf("%s: the refusal does not say %s: %s", set.tool, legend, text)
			}
		}
		set.expect(c, "City in Work address", "Oslo", "textbox")
		c.ExpectScript("home.value + '|' + work.value", "|Oslo")
	}
}

// setterByName is a tool that sets a field by a description.
type setterByName struct {
	tool string
	args func(query, value string) tooltest.Args
}

var settersByName = []setterByName{
	{"form_input", func(query, value string) tooltest.Args { return tooltest.Args{"query": query, "value": value} }},
	{"fill_form", func(query, value string) tooltest.Args {
		return tooltest.Args{"fields": []tooltest.Args{{"query": query, "value": value}}, "waitForMs": 0}
	}},
	{"act", func(query, value string) tooltest.Args {
		return tooltest.Args{"steps": []tooltest.Args{{"action": "set", "query": query, "value": value}}}
	}},
}

func (s setterByName) expect(c tooltest.Client, query, value, want string) {
	c.T.Helper()
	c.Expect(s.tool, s.args(query, value), want)
}

func (s setterByName) refuse(c tooltest.Client, code, query, value string) string {
	c.T.Helper()
	return fmt.Sprint(c.ExpectRefusal(code, s.tool, s.args(query, value), query))
}

// TestActByStrictNames clicks what the words name, and nothing that only resembles it.
func TestActByStrictNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, query, clicked string }{
		{`<button>Delete account</button>`, "× button", "NOT_FOUND"},
		{`<button>×</button><button>+</button>`, "+", "+"},
		{`<button>👍</button><button>☰</button>`, "☰", "☰"},
		{`<button>Small</button>`, "M", "NOT_FOUND"},
		{`<button>Street view</button>`, "tree", "NOT_FOUND"},
		{`<button>Delete all</button><p>Your account</p>`, "Delete account", "NOT_FOUND"},
		{`<p>Select a day.</p><p>Date: <input readonly value=Date></p>`, "Date", "Date"},
		{`<div class=c><b>Ann</b> <button value=Ann>Delete</button></div><div class=c><b>Bob</b> <button value=Bob>Delete</button></div>`, "Delete for Bob", "Bob"},
		{`<section aria-label=Shipping><button value=s>Edit</button></section><section aria-label=Billing><button>Edit</button></section>`, "Edit Shipping", "s"},
		{`<button>Delete</button><dialog open style="position:fixed;top:90px"><button value=in>Delete</button></dialog>`, "Delete in dialog", "in"},
		{`<div class=c><h3>Lamp</h3><button>Buy</button></div><div class=c><h3>Chair</h3><button>Buy</button></div>`, "Buy", "AMBIGUOUS"},
	} {
		client, _ := openHTML(t, c.body+`<script>var clicked = ''; onclick = (e) => { clicked = e.target.value || e.target.textContent }</script>`)
		args := tooltest.Args{"query": c.query, "waitForMs": 0}
		switch c.clicked {
		case "NOT_FOUND":
			client.ExpectRefusal(c.clicked, "interact", args)
			client.ExpectScript("'clicked ' + clicked", "clicked ")
		case "AMBIGUOUS":
			client.ExpectRefusal(c.clicked, "interact", args, "Lamp", "Chair")
		default:
			client.Expect("interact", args, "clicked")
			client.ExpectScript("clicked", c.clicked)
		}
	}
}

// TestFindStepWithoutMatchGoesOn answers a search that finds nothing and performs the next step.
func TestFindStepWithoutMatchGoesOn(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<button onclick="document.title = 'pressed'">Press</button>`)
	c.Expect("act", tooltest.Args{"steps": []tooltest.Args{{"action": "find", "query": "Unicorn"}, {"action": "click", "query": "Press"}}}, `1. found nothing for "Unicorn"`, "2. clicked")
	c.ExpectScript("document.title", "pressed")
}
