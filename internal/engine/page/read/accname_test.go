package read_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// chromiumRoles maps Chromium's internal role names to the ARIA ones that readings show.
var chromiumRoles = map[string]string{
	"image": "img", "LabelText": "generic", "Iframe": "iframe", "DisclosureTriangle": "button", "Section": "generic",
	"sectionheader": "generic", "sectionfooter": "generic", "none": "generic", "MenuListPopup": "listbox", "ProgressIndicator": "progressbar",
	"LayoutTable": "table", "LayoutTableCell": "cell", "StaticText": "generic",
	"DescriptionList": "generic", "Video": "video", "Canvas": "canvas", "InputTime": "time", "SvgRoot": "img",
}

// acceptedDifferences are fixtures with an intended difference, and the reason. One without a
// difference is an error.
var acceptedDifferences = map[string]string{
	"<button #>zero\u200bwidth</button>":         "characters without a shape are no part of a name: they hide text from people",
	`<button #>soft&shy;hyphen</button>`:         "as above",
	`<button #><math><mi>x</mi></math></button>`: "Chromium leaves a formula nameless; its letters are what a person sees",
	`<video # aria-label=Film controls></video>`: "Chromium reports an error message of the player in place of the author's label",
}

// Each line of testdata/accname is a fixture; # marks its element. Chromium's own accessibility
// tree is the oracle.
func TestNamesAndRolesAgreeWithChromium(t *testing.T) {
	files, err := filepath.Glob("testdata/accname/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	total := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var body strings.Builder
		fixtures := map[string]string{}
		for line := range strings.Lines(string(raw)) {
			id := fmt.Sprintf("t%d", len(fixtures)+1)
			if !strings.Contains(line, "#") || strings.HasPrefix(line, "<style>") {
				body.WriteString(line)
				continue
			}
			fixtures[id] = strings.TrimSpace(line)
			fmt.Fprintf(&body, "<div>%s</div>\n", strings.Replace(line, "#", "id="+id, 1))
		}
		total += len(fixtures)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".html"), func(t *testing.T) { compareNames(t, body.String(), fixtures) })
	}
	if total < 200 {
		t.Errorf("there are %d fixtures", total)
	}
}

func compareNames(t *testing.T, body string, fixtures map[string]string) {
	b := pagetest.Show(t, body)
	if _, err := cdp.Call(b.Ctx, b.Session, accessibility.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	for i := range len(fixtures) {
		id := fmt.Sprintf("t%d", i+1)
		found, total, err := b.Locate.Query(b.Ctx, locate.QueryOptions{CSS: "#" + id, PierceShadow: true})
		if err != nil || total == 0 {
			t.Errorf("%s: %d elements, %v", fixtures[id], total, err)
			continue
		}
		type look struct{ Role, Name string }
		got := look{found[0].Role, found[0].Name}
		if got.Role == "clickable" {
			got.Role = "generic"
		}
		diff := cmp.Diff(look(axNode(b, id)), got)
		if reason, ok := acceptedDifferences[fixtures[id]]; ok != (diff != "") {
			t.Errorf("%s (accepted: %q)\n(-Chromium +ours)\n%s", fixtures[id], reason, diff)
		}
	}
}

// deep finds an element by id through shadow trees and frames.
const deep = `(function find(root, id) { for (const el of root.querySelectorAll('*')) { if (el.id === id) return el;
const inner = el.shadowRoot || el.localName === 'iframe' && el.contentDocument; const hit = inner && find(inner, id); if (hit) return hit; } return null })`

// axNode returns Chromium's role and name of the element with an id.
func axNode(b *pagetest.Tab, id string) (out struct{ Role, Name string }) {
	b.T.Helper()
	res, err := cdp.Call(b.Ctx, b.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: deep + "(document, '" + id + "')"})
	if err != nil {
		b.T.Fatal(err)
	}
	no := false
	tree, err := cdp.Call(b.Ctx, b.Session, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{
		ObjectID: res.Result.ObjectID, FetchRelatives: &no,
	})
	if err != nil || len(tree.Nodes) == 0 {
		b.T.Fatalf("the accessibility node of %s: %v", id, err)
	}
	node := tree.Nodes[0]
	if node.Role != nil {
		out.Role = text(node.Role.Value)
	}
	if role, ok := chromiumRoles[out.Role]; ok {
		out.Role = role
	}
	if node.Name != nil {
		out.Name = strings.Join(strings.Fields(text(node.Name.Value)), " ")
	}
	return out
}

// text decodes a JSON string.
func text(raw []byte) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}
