package act_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

const unapplyingPage = `<!doctype html><title>Refusing</title>
<label>Name <input value=Ada onbeforeinput="event.preventDefault()"></label>
<label>City <input></label>
<label>Size <select onchange="this.value = 'S'"><option>S<option>M</select></label>
<label>Password <input type=password value=hunter2 oninput="setTimeout(() => this.value = 'hunter2', 250)"></label>
<label>Terms <input type=checkbox onclick="event.preventDefault()"></label>
<label>Zip <input id=zip></label><label>Land <select onchange="zip.value = ''"><option>NO<option>SE</select></label>
<label>Draft <input onblur="this.value = ''"></label><label>Sum <input onblur="this.value += '.00'"></label>
<label><input type=radio name=r>One way</label><label><input type=radio name=r>Return trip</label>
<div contenteditable aria-label=Note onbeforeinput="event.preventDefault()">old note</div>
<input id=dir type=file webkitdirectory><input id=taken type=file onchange="this.value = ''">`

// Each tool that sets or types refuses what the page did not take, and says what the field holds.
func TestToolsRefuseWhatThePageDidNotTake(t *testing.T) {
	t.Parallel()
	c, reading := openHTML(t, unapplyingPage)
	refused := func(tool string, args tooltest.Args, want ...string) {
		t.Helper()
		fields := c.ExpectRefusal("NOT_APPLIED", tool, args, want...)
		for _, v := range fields {
			if text, ok := v.(string); ok && strings.Contains(text, "hunter2") {
				t.Errorf("%s shows a password: %s", tool, text)
			}
		}
	}
	refused("form_input", tooltest.Args{"query": "Name", "value": "Bob"}, `holds \"Ada\"`)
	refused("form_input", tooltest.Args{"query": "Size", "value": "M"}, `holds \"S\"`)
	refused("form_input", tooltest.Args{"query": "Terms", "value": "true"}, `holds \"unchecked\"`)
	refused("form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, `"Note"`), "value": "new"}, `holds \"old note\"`)
	refused("form_input", tooltest.Args{"query": "Password", "value": "abc"}, "something else")
	refused("fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": "City", "value": "Oslo"}, {"query": "Name", "value": "Bob"}}}, `holds \"Ada\"`, "1 of 2")
	fields := func(first, value, second, other string) tooltest.Args {
		return tooltest.Args{"fields": []tooltest.Args{{"query": first, "value": value}, {"query": second, "value": other}}}
	}
	refused("fill_form", fields("Zip", "0150", "Land", "SE"), "1 of 2", "it is empty")
	refused("fill_form", fields("Draft", "x", "City", "Oslo"), "1 of 2", "it is empty")
	refused("fill_form", fields("One way", "true", "Return trip", "true"), "1 of 2", "unchecked")
	c.Expect("fill_form", fields("Sum", "12", "City", "Oslo"), "set 2 of 2")
	refused("act", tooltest.Args{"steps": []tooltest.Args{{"action": "set", "query": "Name", "value": "Bob"}}}, `holds \"Ada\"`)
	refused("act", tooltest.Args{"steps": []tooltest.Args{{"action": "type", "query": "Name", "value": "Bob"}}}, `holds \"Ada\"`)
	c.Call("computer", tooltest.Args{"action": "left_click", "ref": tooltest.Ref(t, reading, `"Note"`)})
	refused("computer", tooltest.Args{"action": "type", "text": "new"}, `holds \"old note\"`)

	for _, dir := range []string{"", "folder"} {
		if err := os.MkdirAll(filepath.Join(c.Output, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.Output, dir, "a.txt"), []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused("file_upload", tooltest.Args{"selector": "#dir", "filePaths": []string{"a.txt"}}, "empty")
	c.Expect("file_upload", tooltest.Args{"selector": "#taken", "filePaths": []string{"a.txt"}}, "attached 1 file(s)")
}
