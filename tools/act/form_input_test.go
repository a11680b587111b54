package act_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestFormInputKinds(t *testing.T) {
	t.Parallel()
	c, page := tooltest.OpenActingPage(t, toolkit.Options{})
	set := func(name, value, js, want string) {
		t.Helper()
		c.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, page, `"`+name+`"`), "value": value})
		if got := c.Call("javascript_tool", tooltest.Args{"code": js}); got != want {
			t.Errorf("%s set to %q is %q, want %q", name, value, got, want)
		}
	}
	set("Controlled", "typed by a person", "react.dataset.state", "typed by a person")
	set("Controlled", "", "react.dataset.state", `""`)
	set("Editor", "New text", "ed.innerText", "New text")
	set("Fruit", "Pear", "combo.textContent + fruits.hidden", "Peartrue")
	page = c.Call("read_page", tooltest.Args{"max_bytes": 100000})
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"ref": tooltest.Ref(t, page, `"Fruit"`), "value": "Plum"}, "Apple", "Pear")
	if got := c.Call("javascript_tool", tooltest.Args{"code": "fruits.hidden"}); got != "true" {
		t.Errorf("the list stays open after a value that it does not have: %s", got)
	}
	c.ExpectRefusal("NOT_ACTIONABLE", "form_input", tooltest.Args{"ref": tooltest.Ref(t, page, `"Thief"`), "value": "x"}, "focus")
	if got := c.Call("javascript_tool", tooltest.Args{"code": "victim.value"}); got != `""` {
		t.Errorf("the value went to another field: %q", got)
	}
}

// TestDrawnSlidersAreMovedByKeys: sliders that are no inputs, of several habits.
func TestFormInputMovesCustomSliders(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Sliders</title><link rel=icon href=data:,><style>div{width:200px;height:20px}</style>
<div role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=100 aria-valuenow=30></div>
<div role=slider tabindex=0 aria-label=Sideways data-only=side aria-valuemin=0 aria-valuemax=100 aria-valuenow=30 data-by=5></div>
<div role=spinbutton tabindex=0 aria-label=Count aria-valuenow=2></div>
<div role=slider tabindex=0 aria-label=Deaf data-only=none aria-valuenow=2></div>
<div role=slider tabindex=0 aria-label=Silent></div><div role=slider aria-label=Unfocused aria-valuenow=1></div>
<script>for (const el of document.querySelectorAll('[tabindex]')) el.addEventListener('keydown', (e) => {
  const only = el.dataset.only, by = +(el.dataset.by ?? 1);
  const d = {ArrowUp: only ? 0 : 1, ArrowDown: only ? 0 : -1, ArrowRight: only === 'none' ? 0 : 1, ArrowLeft: only === 'none' ? 0 : -1}[e.key] ?? 0;
  el.setAttribute('aria-valuenow', +el.getAttribute('aria-valuenow') + d * by);
})</script>`)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	ref := func(name string) string { t.Helper(); return tooltest.Ref(t, c.Call("read_page", nil), `"`+name+`"`) }
	for name, to := range map[string]string{"Volume": "41", "Sideways": "15", "Count": "-1"} {
		c.Call("form_input", tooltest.Args{"ref": ref(name), "value": to})
		c.Expect("javascript_tool", tooltest.Args{"code": `document.querySelector('[aria-label=` + name + `]').getAttribute('aria-valuenow')`}, to)
	}
	for name, in := range map[string][2]string{
		"Volume": {"101", "it goes from 0 to 100"}, "Sideways": {"42", "it moves in steps, from 40 to 45"}, "Deaf": {"3", "does not follow the arrow keys"},
		"Silent": {"3", "aria-valuenow"}, "Unfocused": {"3", "takes no focus"}, "Count": {"many", "takes a number"},
	} {
		if res := c.Do("form_input", tooltest.Args{"ref": ref(name), "value": in[0]}); !res.IsError || !strings.Contains(tooltest.Text(res), in[1]) {
			t.Errorf("%s and %s: %s", name, in[0], tooltest.Text(res))
		}
	}
}

func TestFormInputFillsAForm(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/form.html"})
	reading := c.Call("read_page", tooltest.Args{"mode": "interactive"})
	for field, value := range map[string]string{`"Name"`: "Ada <Lovelace>", `"Password"`: "hunter2", `"Size"`: "Large", `"Gift"`: "true", `"Note"`: "two\nlines"} {
		c.Expect("form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, field), "value": value}, "set ")
	}
	if again := c.Call("read_page", nil); strings.Contains(again, "hunter2") {
		t.Errorf("the password is shown:\n%s", again)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, `"Size"`), "value": "Huge"}, "Small", "Large")
	c.Expect("interact", tooltest.Args{"query": "Send order button"}, `"Submitted"`)
	c.Expect("read_page", nil, "Thanks", "gift=on", "name=Ada+%3CLovelace%3E", "note=two%0D%0Alines", "password=hunter2", "size=l")
}

func TestFormInputByDescription(t *testing.T) {
	t.Parallel()
	c, _ := tooltest.OpenActingPage(t, toolkit.Options{})
	c.Expect("form_input", tooltest.Args{"query": "Controlled", "value": "typed"}, `"Controlled"`)
	c.Expect("javascript_tool", tooltest.Args{"code": "react.dataset.state"}, "typed")
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"value": "x"}, "exactly one of")
	c.ExpectRefusal("NOT_FOUND", "form_input", tooltest.Args{"query": "unicorn", "value": "x"}, "unicorn")
}

// TestFormInputSetsARange takes two numbers for the two handles of a slider, as a list or as text.
func TestFormInputSetsARange(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<!doctype html><title>Range</title><p>Price range</p><div><input type=range id=a aria-label=From value=20><input type=range id=b aria-label=To value=80></div>`)
	for want, value := range map[string]any{"30 40": []int{30, 40}, "50 60": "50-60"} {
		c.Expect("form_input", tooltest.Args{"query": "Price range", "value": value}, "set slider")
		c.ExpectScript("a.value + ' ' + b.value", want)
	}
}
