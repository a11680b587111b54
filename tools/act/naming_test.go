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

// TestFieldsByDrawnLabels sets the fields that a style labels: in the block around them, in an element before or above
// them, and after a checkbox.
func TestFieldsByDrawnLabels(t *testing.T) {
	t.Parallel()
	c, text := openHTML(t, `<style>.a::before{content:"Amount"}.r::before{content:"Recipient"}.n::after{content:"Note"}.t::after{content:"Terms"}.k::after{content:"News"}</style>
<p>Reference: <input id=reference></p><p class=a><input id=amount></p><p><span class=r></span> <input id=recipient></p><div><div class=n></div><textarea id=note></textarea></div>
<p><input type=checkbox id=terms><i class=t></i></p><p><span class=k><input type=checkbox id=news></span></p>`)
	set := settersByName[0]
	for _, field := range []struct{ query, value string }{{"Amount", "500"}, {"Recipient", "NO93"}, {"Note", "rent"}, {"Terms", "true"}, {"News", "true"}, {"Reference", "7"}} {
		set.expect(c, field.query, field.value, "set ")
	}
	c.ExpectScript("[reference.value, amount.value, recipient.value, note.value, terms.checked, news.checked].join()", "7,500,NO93,rent,true,true")
	for _, label := range []string{"Amount", "Recipient", "Note", "Terms", "News"} {
		if near := fmt.Sprintf("near %q", label); !strings.Contains(text, near) {
			t.Errorf("the reading has no %s:\n%s", near, text)
		}
	}
}

// placedForm has fields whose labels a person finds by where they are drawn: the order of the document tells otherwise.
const placedForm = `<style>section{margin:9px}span{display:inline-block}</style>
<style>#f0,#f1{width:100%}</style><section><div style="display:grid;grid-template-columns:1fr 1fr"><div>First name</div><div>Last name</div><div><input id=f0></div><div><input id=f1></div></div></section>
<section><div><input id=f2><div>Street</div></div><div><input id=f3><div>Town</div></div></section>
<section><div style="display:flex;flex-direction:row-reverse"><input id=f4><span>Mail</span></div><div style="display:flex;flex-direction:row-reverse"><input id=f5><span>Phone</span></div></section>
<section style="display:flex;flex-direction:column-reverse"><input id=f6><span>Bank</span><input id=f7><span>Branch</span></section>
<section style="position:relative;height:70px"><span style="position:absolute;top:0">User</span><span style="position:absolute;top:40px">Code</span>
<input id=f8 style="position:absolute;top:0;left:100px"><input id=f9 style="position:absolute;top:40px;left:100px"></section>
<section style="display:flex;flex-direction:column"><input id=f12 style="order:2"><span style="order:1">Colour</span><input id=f13 style="order:4"><span style="order:3">Shape</span></section>
<section><input id=f10> miles <input id=f11> hours</section>
<section><div><label for=q>Apples</label><input id=q></div><div><label for=q>Pears</label><input id=q></div></section>`

// TestFieldsByPlacesOfLabels sets the field that a person takes a label for, or none.
func TestFieldsByPlacesOfLabels(t *testing.T) {
	t.Parallel()
	c, text := openHTML(t, placedForm)
	set := settersByName[0]
	for _, label := range []string{"First name", "Last name", "Street", "Town", "Mail", "Phone", "User", "Apples", "Pears"} {
		set.expect(c, label, label, "set ")
	}
	for _, label := range []string{"Bank", "Branch", "Code", "miles", "hours", "Colour", "Shape"} {
		set.refuse(c, "NOT_FOUND", label, label)
	}
	c.ExpectScript("[...document.querySelectorAll('input')].map((f) => f.value).join()", "First name,Last name,Street,Town,Mail,Phone,,,User,,,,,,Apples,Pears")
	for _, line := range []string{`near "First name"`, `near "Last name"`, `near "User"`, `textbox "Apples"`, `textbox "Pears"`} {
		if !strings.Contains(text, line) {
			t.Errorf("the reading has no %s:\n%s", line, text)
		}
	}
}

// TestRowsOfFields names the fields of a row by their columns: the text that begins the row labels none of them.
func TestRowsOfFields(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<table><tr><td><th>No<th>Yes<tr><td>Smoker<td><input type=radio name=s><td><input type=radio name=s><tr><td>Driver<td><input type=radio name=d><td><input type=radio name=d></table>
<table><tr><td><th>Read<th>Write<tr><td>Guests<td><input type=checkbox><td><input type=checkbox></table><table><thead><tr><td><td>Min<td>Max<tbody><tr><td>Heat<td><input><td><input></table>
<div style="display:flex"><span>Service</span><input type=radio name=q><input type=radio name=q><input type=radio name=q></div><table><tr><td>From<td><input><td>To<td><input></table><table><tr><td><input type=radio name=p><td>Basic<td><input type=radio name=p><td>Gold</table>`)
	set := settersByName[0]
	for _, row := range []string{"Smoker", "Guests", "Heat", "Service"} {
		if res := c.Do(set.tool, set.args(row, "true")); !res.IsError {
			t.Errorf("%s: %v", row, res.StructuredContent)
		}
	}
	for query, value := range map[string]string{"Yes in Smoker": "true", "No in Driver": "true", "Write": "true", "Max": "9", "To": "2", "From": "1", "Basic": "true"} {
		set.expect(c, query, value, "set ")
	}
	c.ExpectScript("[...document.querySelectorAll('input')].map((f) => f.type === 'text' ? f.value : Number(f.checked)).join()", "0,1,1,0,0,1,,9,0,0,0,1,2,1,0")
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
