package act_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// boxes returns so many boxes for one character each, in a row.
func boxes(n int, attributes string) string {
	return `<div style="display:flex">` + strings.Repeat(`<input maxlength=1 size=1 `+attributes+`>`, n) + `</div>`
}

const advance = `const digits = [...document.querySelectorAll('input[maxlength]')]; const next = (el) => digits[digits.indexOf(el) + 1]?.focus();`

// codePages are pages that ask for a one-time code, with its label, a code, and what the page holds then.
var codePages = []struct{ name, body, query, code, holds string }{
	{"plain boxes", `<fieldset><legend>Code</legend>` + boxes(6, "") + `</fieldset>`, "Code", "123456", "123456"},
	{"advance on input", `<p>Enter the code</p>` + boxes(6, `oninput="next(this)"`), "Enter the code", "204817", "204817"},
	{"advance on keyup", `<fieldset><legend>Code</legend>` + boxes(6, `aria-label=Digit onkeyup="if (/^\d$/.test(event.key)) { typed.textContent += event.key; next(this) }"`) + `</fieldset><b id=typed></b>`, "Code", "123 456", "123456"},
	{"advance by a timer", `<fieldset><legend>PIN</legend>` + boxes(4, `type=password oninput="setTimeout(() => next(this), 30)"`) + `</fieldset>`, "PIN", "1234", "1234"},
	{"one-time-code first", `<fieldset><legend>Code</legend><input autocomplete=one-time-code maxlength=6 style="width:20px" oninput="next(this)">` + strings.Repeat(`<input maxlength=1 style="width:20px" oninput="next(this)">`, 5) + `</fieldset>`, "Code", "998877", "998877"},
	{"taken by paste alone", `<fieldset><legend>Code</legend>` + boxes(6, `onkeydown="event.preventDefault()" onpaste="event.preventDefault(); [...event.clipboardData.getData('text')].forEach((c, i) => digits[i].value = c)"`) + `</fieldset>`, "Code", "314159", "314159"},
	{"labels of their own", `<h2>Verify</h2>` + strings.Repeat(`<span><input maxlength=1 size=1 aria-label="Verification code digit"></span>`, 5), "Verification code digit", "A1B2C", "A1B2C"},
	{"letters in two groups", `<fieldset><legend>Key</legend>` + strings.Repeat(`<input maxlength=1 size=1>`, 3) + ` - ` + strings.Repeat(`<input maxlength=1 size=1>`, 3) + `</fieldset>`, "Key", "ABC-DEF", "ABCDEF"},
	{"one input under drawn boxes", `<div style="position:relative;width:240px;height:40px"><input aria-label=Code autocomplete=one-time-code maxlength=6 style="position:absolute;inset:0;opacity:0"><div style="display:flex">` + strings.Repeat(`<div style="width:38px;height:38px;border:1px solid"></div>`, 6) + `</div></div>`, "Code", "246810", "246810"},
}

// A code with a box for each character is one field.
func TestCodesAreOneField(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	for _, page := range codePages {
		c.Call("navigate", tooltest.Args{"url": "data:text/html," + strings.NewReplacer("%", "%25", "#", "%23", "\n", " ").Replace(page.body+"<script>"+advance+"</script>"), "then": "none"})
		res := c.Do("fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": page.query, "value": page.code}}})
		holds := strings.Trim(c.Call("javascript_tool", tooltest.Args{"code": "[...document.querySelectorAll('input')].map((i) => i.value).join('')"}), `"`)
		said := tooltest.Text(res)
		shown := page.holds
		if strings.Contains(page.body, "password") || strings.Contains(page.body, "one-time-code") {
			shown = "••••••••" // as every field for secrets
		}
		if res.IsError || holds != page.holds || !strings.Contains(said, shown) {
			t.Errorf("%s: the boxes hold %s, and the answer is %s", page.name, holds, said)
		}
	}
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<fieldset><legend>Code</legend>" + boxes(6, "") + "</fieldset>"})
	c.Expect("form_input", tooltest.Args{"query": "Code", "value": "555555"}, "555555")
	c.Expect("act", tooltest.Args{"steps": []tooltest.Args{{"action": "set", "query": "Code", "value": "666666"}}}, "666666")
	c.Expect("javascript_tool", tooltest.Args{"code": "[...document.querySelectorAll('input')].map((i) => i.value).join('')"}, "666666")
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"query": "Code", "value": "1234"}, "6 characters")
}

// A code that the page does not keep is refused with what the boxes hold.
func TestCodesThatAreNotKept(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	for _, page := range []struct{ body, code, holds string }{
		{boxes(4, `oninput="if (digits.every((b) => b.value)) digits.forEach((b) => b.value = '')"`), "1234", "is empty"},
		{boxes(3, `oninput="if (this === digits[2]) this.value = ''"`), "123", "it holds"},
		{boxes(4, `oninput="this.value = '0'"`), "1234", "0000"},
		{boxes(4, `oninput="setTimeout(() => digits[0].value = '9', 150)"`), "1234", "9234"},
	} {
		c.Call("navigate", tooltest.Args{"url": "data:text/html,<fieldset><legend>Code</legend>" + page.body + "</fieldset><script>" + advance + "</script>", "then": "none"})
		c.ExpectRefusal("NOT_APPLIED", "fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": "Code", "value": page.code}}}, page.holds)
	}
}
