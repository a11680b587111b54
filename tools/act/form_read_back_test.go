package act_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// changingForm has fields that the page changes after they were set. A reading gives its fields no other names.
const changingForm = `<!doctype html><title>Form</title><script>
const after = (ms, f) => setTimeout(f, ms)
const again = (el) => { const copy = el.cloneNode(true); copy.value = el.value; el.replaceWith(copy) }
const phone = (s) => s.replace(/^(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3')
const cities = (names) => { city.innerHTML = names.map((n) => '<option>' + n).join(''); city.disabled = !names.length }
</script>
<label>First <input id=first oninput="after(50, () => 0)"></label>
<label>Email <input id=email></label><label>Nick <input oninput="after(120, () => again(email))"></label>
<label>Motto <input class=m></label><label>Tag <input oninput="after(120, () => again(document.querySelector('.m')))"></label>
<label>Phone <input oninput="after(150, () => this.value = phone(this.value))"></label>
<label>Price <input onchange="after(200, () => this.value = '$' + Number(this.value).toFixed(2))"></label>
<label>Upper <input oninput="requestAnimationFrame(() => this.value = this.value.toUpperCase())"></label>
<label>Country <select id=country onchange="fetch('/cities').then((r) => r.text()).then(() => cities(['Oslo', 'Bergen']))"><option>-<option>Norway</select></label>
<label>Region <select onchange="after(150, () => { cities(['Oslo', 'Bergen', 'Tromsø']) })"><option>-<option>North</select></label>
<label>City <select id=city disabled></select></label>
<label>Kind <select onchange="after(150, () => { extra.value = ''; box.hidden = false })"><option>-<option>Firm</select></label>
<span id=box hidden><label>Firm name <input id=extra></label></span>
<label>Mode <select onchange="after(150, () => { topic.value = '' })"><option>-<option>New</select></label><label>Title <input id=topic></label>
<label>Kept <input id=kept></label><label>Reset <input oninput="after(100, () => { kept.value = '' })"></label>
<label>Back <input value=old oninput="after(250, () => { this.value = 'old' })"></label>
<label>Gone <input id=gone></label><label>Wipe <input oninput="after(100, () => { gone.value = ''; again(gone) })"></label>
<label>On <input type=checkbox onchange="after(200, () => { this.checked = false })"></label>
<label>Pin <input type=password oninput="after(200, () => { this.value = 'hunter2' })"></label>`

// formFields pairs queries with values: "Name", "Ann", …
func formFields(pairs ...string) tooltest.Args {
	list := []tooltest.Args{}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, tooltest.Args{"query": pairs[i], "value": pairs[i+1]})
	}
	return tooltest.Args{"fields": list}
}

func TestFillFormComparesFieldsTogether(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, changingForm)
	for name, row := range map[string]struct{ in, want []string }{
		"drawn again, formatted": {
			[]string{"Email", "a@b.org", "Nick", "ann", "Motto", "carpe diem", "Tag", "a", "Phone", "5551234567", "Price", "12", "Upper", "abc", "First", "x"},
			[]string{"set 8 of 8", "a@b.org", "carpe diem", "(555) 123-4567", "$12.00", "ABC"},
		},
		"options that a fetch brings":  {[]string{"Country", "Norway", "City", "Bergen"}, []string{"set 2 of 2", "Bergen"}},
		"options of a timer":           {[]string{"Region", "North", "City", "Tromsø"}, []string{"set 2 of 2", "Tromsø"}},
		"shown and emptied by a timer": {[]string{"Kind", "Firm", "Firm name", "Acme", "First", "x"}, []string{"set 3 of 3", "Acme"}},
		"emptied too late":             {[]string{"Mode", "New", "Title", "Dune", "First", "x"}, []string{"set 3 of 3", "Dune"}},
	} {
		t.Run(name, func(*testing.T) {
			c.Call("page_reload", tooltest.Args{})
			c.Expect("fill_form", formFields(row.in...), row.want...)
		})
	}
	c.Call("page_reload", tooltest.Args{})
	refusal := c.ExpectRefusal("NOT_APPLIED", "fill_form", formFields("Kept", "x", "Gone", "x", "Reset", "y", "Wipe", "y", "Pin", "1234"), "2 of 5")
	problems := fmt.Sprint(refusal["problems"])
	for _, want := range []string{
		`"Kept" \[e\d+\]: e\d+ did not take it: it is empty`, `"Gone" .*it is empty`, `"Pin" .*it holds something else`,
	} {
		if !regexp.MustCompile(want).MatchString(problems) {
			t.Errorf("no problem matches %s: %s", want, problems)
		}
	}
	if strings.Contains(fmt.Sprint(refusal), "hunter2") {
		t.Errorf("the answer shows a password: %s", problems)
	}
	c.Call("page_reload", tooltest.Args{})
	c.ExpectRefusal("NOT_APPLIED", "fill_form", formFields("On", "true", "First", "x", "Back", "new"), "1 of 3", "unchecked", `holds \"old\"`)
}

// The time in which a page may put fields back passes once, not for each field.
func TestFillFormWaitsOnce(t *testing.T) {
	t.Parallel()
	const waits = 300 * time.Millisecond // what one field waits, at least, on a page with timers
	took := func(input string) time.Duration {
		var page strings.Builder
		var all []string
		for i := range 10 {
			fmt.Fprintf(&page, `<label>Field %c <input oninput="%s"></label>`, 'A'+i, input)
			all = append(all, fmt.Sprintf("Field %c", 'A'+i), "x")
		}
		c, _ := openHTML(t, `<!doctype html><title>Ten</title>`+page.String())
		begun := time.Now()
		c.Expect("fill_form", formFields(all...), "set")
		return time.Since(begun)
	}
	var more time.Duration
	for range 3 { // a busy machine makes either longer
		more = took("clearTimeout(this.t); this.t = setTimeout(() => { this.title = this.value }, 40)") - took("")
		if more < 5*waits {
			return
		}
	}
	t.Errorf("ten fields with timers take %v longer than without", more)
}
