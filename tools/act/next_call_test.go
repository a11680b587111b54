package act_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// refusingPage refuses actions in many ways.
const refusingPage = `<!doctype html><title>Refusing</title><h1>Head</h1><button disabled>Pay</button><button onclick="0">Save</button>
<div style="position:relative;width:200px;height:40px"><button onclick="0">Under</button><div role=dialog aria-label=Cookies style="position:absolute;inset:0;background:#fff">Cookies</div></div>
<label>Day <input type=date></label><label>Shade <input type=color></label><label>Count <input type=number></label><label>Fixed <input readonly value=x></label>
<label>Off <input disabled></label><label>Fruit <select><option>Apple<option>Pear</select></label><label>Agree <input type=checkbox></label>
<div role=slider aria-label=Still tabindex=0 aria-valuenow=5 aria-valuemin=0 aria-valuemax=10 style="width:100px;height:20px">o</div>
<div role=slider aria-label=Mute tabindex=0 style="width:100px;height:20px">o</div>
<table><tr><td>A<td>B</table><ul><li><button onclick="0">Delete</button><li><button onclick="0">Delete</button></ul>`

var namedCall = regexp.MustCompile(`([a-z_]+) (\{.*?\})`)

// TestRefusalsNameACallThatWorks makes the call that each refusal of an action names.
func TestRefusalsNameACallThatWorks(t *testing.T) {
	t.Parallel()
	c, reading := openHTML(t, refusingPage)
	head := tooltest.Ref(t, c.Call("query_dom", tooltest.Args{"method": "css", "selector": "h1"}), "[e")
	table := tooltest.Ref(t, reading, "- table")
	for _, refused := range []struct {
		tool string
		args tooltest.Args
		next string
	}{
		{"interact", tooltest.Args{"query": "Pay"}, "read_page"},
		{"interact", tooltest.Args{"query": "Under"}, "read_page"},
		{"interact", tooltest.Args{"query": "Unicorn"}, "read_page"},
		{"interact", tooltest.Args{"query": "Save the unicorn of spring"}, "read_page"},
		{"interact", tooltest.Args{"ref": "e9999"}, "read_page"},
		{"interact", tooltest.Args{"ref": table + "/9/9"}, "read_page"},
		{"form_input", tooltest.Args{"ref": head, "value": "x"}, "interact"},
		{"form_input", tooltest.Args{"query": "Fixed", "value": "y"}, "interact"},
		{"form_input", tooltest.Args{"query": "Off", "value": "y"}, "read_page"},
		{"form_input", tooltest.Args{"query": "Day", "value": "soon"}, "form_input"},
		{"form_input", tooltest.Args{"query": "Shade", "value": "reddish"}, "form_input"},
		{"form_input", tooltest.Args{"query": "Count", "value": "many"}, "form_input"},
		{"form_input", tooltest.Args{"query": "Fruit", "value": "Peer"}, "form_input"},
		{"form_input", tooltest.Args{"query": "Agree", "value": "maybe"}, "form_input"},
		{"form_input", tooltest.Args{"query": "Still", "value": "7"}, "drag_drop"},
		{"form_input", tooltest.Args{"query": "Mute", "value": "7"}, "drag_drop"},
		{"computer", tooltest.Args{"action": "key", "text": "Contrl+a"}, "computer"},
		{"computer", tooltest.Args{"action": "type", "text": "abc"}, "interact"},
		{"computer", tooltest.Args{"action": "left_click", "coordinate": []int{10, 9000}}, "computer"},
		{"drag_drop", tooltest.Args{"query": "Unicorn", "target_query": "Save"}, "read_page"},
		{"file_upload", tooltest.Args{"selector": "#none", "filePaths": []string{uploadable(t, c)}}, "read_page"},
	} {
		res := c.Do(refused.tool, refused.args)
		message := tooltest.Text(res)
		if !res.IsError {
			t.Errorf("%s %v is not refused: %s", refused.tool, refused.args, message)
		}
		named := namedCall.FindStringSubmatch(message)
		if named == nil || named[1] != refused.next {
			t.Errorf("%s %v names no call of %s: %s", refused.tool, refused.args, refused.next, message)
			continue
		}
		var args tooltest.Args
		if err := json.Unmarshal([]byte(named[2]), &args); err != nil {
			t.Errorf("%s: %v", message, err)
			continue
		}
		if args["query"] == "the field" {
			continue // a stand-in: the refusal knows no field
		}
		if res := c.Do(named[1], args); res.IsError {
			t.Errorf("%s %v says to call %s %v, which fails: %s", refused.tool, refused.args, named[1], args, tooltest.Text(res))
		}
		c.Do("javascript_tool", tooltest.Args{"code": "document.activeElement.blur()"})
	}
	c.ExpectRefusal(string(codes.Ambiguous), "interact", tooltest.Args{"query": "Delete"}, `as {\"ref\":\"e`)
}

// uploadable returns the name of a file that may be uploaded.
func uploadable(t *testing.T, c tooltest.Client) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.Output, "a.txt"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "a.txt"
}
