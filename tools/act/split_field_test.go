package act_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// parts returns a box for each number of characters, with a sign between them.
func parts(sign string, rooms ...int) string {
	var out []string
	for _, n := range rooms {
		out = append(out, "<input maxlength="+strconv.Itoa(n)+">")
	}
	return strings.Join(out, sign)
}

// A value that a page splits is typed across its boxes, or refused with each of them.
func TestSplitFields(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<meta charset=utf-8>"})
	for _, page := range []struct{ body, query, value, says, holds string }{
		{`<p>Phone: ` + parts(" ", 3, 7) + `</p><p>Name: <input></p>`, "Phone", "0301234567", `= "030 1234567"`, "030|1234567|"},
		{`<p>Phone: (` + parts(") ", 3, 3, 4) + `</p>`, "Phone", "(030) 123-4567", `= "030 123 4567"`, "030|123|4567"},
		{`<div>Date of birth ` + parts(" / ", 2, 2, 4) + `</div>`, "Date of birth", "24/12/1990", `= "24 12 1990"`, "24|12|1990"},
		{`<label for=a>Card number</label><div><input id=a maxlength=4>` + parts("", 4, 4, 4) + `</div>`, "Card number", "4111 1111 1111 1234", `= "4111 1111 1111 1234"`, "4111|1111|1111|1234"},
		{`<div role=group aria-label="Sort code">` + parts("-", 2, 2, 2) + `</div>`, "Sort code", "123456", `= "12 34 56"`, "12|34|56"},
		{`<p>生年月日 <input maxlength=4>年<input maxlength=2>月<input maxlength=2>日</p>`, "生年月日", "1990年12月24日", `= "1990 12 24"`, "1990|12|24"},
		{`<div dir=rtl>رقم الهاتف: ` + parts(" ", 3, 4) + `</div>`, "رقم الهاتف", "050-1234", `= "050 1234"`, "050|1234"},
		{`<p>Code: ` + parts("", 3, 3) + `</p>`, "Code", "123456", `= "123 456"`, "123|456"},
		{`<p>Fax: <input size=3> <input size=7></p>`, "Fax", "030 12345678", `= "030 12345678"`, "030|12345678"},
		{`<p>Amount: <input> <select><option>EUR</select></p>`, "Amount", "10", `= "10"`, "10|EUR"},
		{`<p>Address: <input><br><input></p>`, "Address", "1 Road", `= "1 Road"`, "1 Road|"},
		{`<p>Phone: ` + parts(" ", 3, 7) + `</p>`, "Phone", "12345", "INVALID_ARGUMENTS", "|"},
		{`<p>Phone: <input maxlength=3><input maxlength=4 oninput="this.value=''"></p>`, "Phone", "050 1234", "NOT_APPLIED", "050|"},
		{`<p>Phone: <input> <input></p>`, "Phone", "0301234567", "AMBIGUOUS", "|"},
		{`<label>Phone <input> <input></label>`, "Phone", "0301234567", "AMBIGUOUS", "|"},
		{`<p>Price: <input> – <input> <button>Go</button></p>`, "Price", "10", "AMBIGUOUS", "|"},
		{`<p>Height: <input> ft <input> in</p>`, "ft", "5", "NOT_FOUND", "|"},
		{`<p>Born: <select><option>1</select><select><option>May</select></p>`, "Born", "1", "AMBIGUOUS", "1|May"},
	} {
		c.Call("javascript_tool", tooltest.Args{"code": "document.body.innerHTML = " + strconv.Quote(page.body) + ", 0"})
		said := tooltest.Text(c.Do("form_input", tooltest.Args{"query": page.query, "value": page.value}))
		holds := strings.Trim(c.Call("javascript_tool", tooltest.Args{"code": "[...document.querySelectorAll('input,select')].map((f) => f.value).join('|')"}), `"`)
		if holds != page.holds || !strings.Contains(said, page.says) {
			t.Errorf("%s: the boxes hold %s, and the answer is %s", page.body, holds, said)
		}
	}
}

// Where the label that a person reads contradicts a hidden name, the one that is read decides.
func TestFieldsByTheLabelThatIsSeen(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<form><label for=a>Email</label><input id=a placeholder="Your phone" aria-label=Phone><br><label for=b>Phone</label><input id=b placeholder=Email></form>
<label>First name <input aria-label="Last name"></label><label>Last name <input aria-label="First name"></label>
<p><input title=Street placeholder="Post code"><input title="Post code" placeholder=Street></p>
<p><button aria-label=Remove onclick="document.title = 1">Keep</button><button aria-label=Keep onclick="document.title = 2">Remove</button></p>`)
	for _, query := range []string{"Email", "Phone", "First name", "Last name", "Post code", "Street"} {
		c.Expect("form_input", tooltest.Args{"query": query, "value": query}, "set ")
	}
	c.ExpectScript("[...document.querySelectorAll('input')].map((f) => f.value).join()", "Email,Phone,First name,Last name,Post code,Street")
	c.ExpectRefusal("AMBIGUOUS", "interact", tooltest.Args{"query": "Keep"}, "Remove", "Keep")
}

// A slider that cannot have a value is left as it is, and the nearest value is named.
func TestSlidersBetweenSteps(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<label>Volume <input type=range step=5 oninput="document.title = 'moved'"></label><label>Share <input type=range min=0 max=1 step=0.1 value=0.5></label><label>Zoom <input type=range min=1 max=9 step=4></label>`)
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"query": "Volume", "value": "7"}, "the nearest of which is 5")
	c.ExpectRefusal("INVALID_ARGUMENTS", "fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": "Zoom", "value": "8"}}}, "the nearest of which is 9")
	c.Expect("form_input", tooltest.Args{"query": "Share", "value": "0.3"}, `= "0.3"`)
	c.ExpectScript("[...document.querySelectorAll('input')].map((f) => f.value).join() + document.title", "50,0.3,5")
}
