package learn_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/site/learn"
	"github.com/callsheet/callsheet/internal/site/source"
)

func step(tool, args string, id locate.Identity) recorder.Step {
	s := recorder.Step{Tool: tool, Args: json.RawMessage(args), Outcome: "ok", Tab: "t1"}
	if id != (locate.Identity{}) {
		s.Targets = map[string]locate.Identity{"/ref": id}
	}
	return s
}

func field(name string) locate.Identity {
	return locate.Identity{Role: "textbox", Name: name, Kind: "text", Tag: "input"}
}

// order is a recording of an order: of a product, of so many, at a date, by a delivery.
func order(product, slug, count, date, delivery string, banner bool) []recorder.Step {
	steps := []recorder.Step{step("navigate", fmt.Sprintf(`{"url":"http://shop.example/products/%s"}`, slug), locate.Identity{})}
	if banner {
		steps = append(steps, step("interact", `{"ref":"e1"}`, locate.Identity{Role: "button", Name: "Accept cookies"}))
	}
	password := step("form_input", `{"ref":"e2","value":"[masked]"}`, locate.Identity{Role: "textbox", Name: "Card pin", Kind: "password"})
	password.MaskedPointers = []string{"/value"}
	steps = append(steps,
		step("read_page", `{}`, locate.Identity{}),
		step("form_input", fmt.Sprintf(`{"ref":"e2","value":"%s"}`, count), field("How many")),
		step("form_input", fmt.Sprintf(`{"ref":"e3","value":"%s"}`, date), field("Day")),
		step("form_input", fmt.Sprintf(`{"ref":"e4","value":"%s"}`, delivery), locate.Identity{Role: "combobox", Tag: "select", Name: "Delivery"}),
		step("form_input", `{"ref":"e5","value":"no note"}`, field("Note")),
		password,
		step("interact", `{"ref":"e6"}`, locate.Identity{Role: "button", Name: "Order " + product, Leads: "POST /order/" + slug}))
	steps[len(steps)-1].URL = "http://shop.example/orders/" + slug + "?new=1"
	for i := range steps {
		steps[i].Seq = i + 1
	}
	return steps
}

// TestLearnGuessesNoStep: a button of another name may do something else.
func TestLearnGuessesNoStep(t *testing.T) {
	t.Parallel()
	d, err := learn.Learn("order_product", [][]recorder.Step{order("Lamp", "lamp", "2", "2026-01-31", "post", false), order("Chair", "chair", "10", "2026-02-01", "van", false)})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(d.Notes, "\n")
	for _, want := range []string{`not every recording has: interact on button "Order Lamp"; it is left out`, `only recording 2 has: interact on button "Order Chair"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	if len(d.Steps) != 5 {
		t.Errorf("%d steps", len(d.Steps))
	}
}

func TestLearnParametersOfEachType(t *testing.T) {
	t.Parallel()
	first, second := order("now", "lamp", "2", "2026-01-31", "post", false), order("now", "chair", "10", "2026-02-01", "van", true)
	d, err := learn.Learn("order_product", [][]recorder.Step{first, second})
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.File()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("testdata/order_product.yaml", text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/order_product.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("the file differs (-want +got):\n%s", diff)
	}
	if got := strings.Join(d.Secrets(), " "); got != "UNNAMED_CARD_PIN" || d.Origin != "http://shop.example" {
		t.Errorf("secrets %s, origin %s", got, d.Origin)
	}
	dir := t.TempDir()
	site := "version: 1\nname: shop\ndescription: A shop.\norigins: [\"http://shop.example\"]\nsecrets: [UNNAMED_CARD_PIN]\n"
	if err := os.Mkdir(filepath.Join(dir, "tools"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"site.yaml": []byte(site), "tools/order_product.yaml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read, diags, err := source.Load(dir)
	if err != nil || len(diags) > 0 {
		t.Fatalf("the reader of sites says %v, %v", err, diags)
	}
	tool := read.Tool("order_product")
	if tool.Confirmed || len(tool.Examples) != 2 || len(tool.Steps) != 6 {
		t.Errorf("confirmed %v, %d examples, %d steps", tool.Confirmed, len(tool.Examples), len(tool.Steps))
	}
}

func TestLearnRefuses(t *testing.T) {
	t.Parallel()
	one := order("now", "lamp", "2", "2026-01-31", "post", false)
	other := []recorder.Step{step("interact", `{"ref":"e1"}`, locate.Identity{Role: "tab", Name: "Help"})}
	for want, recordings := range map[string][][]recorder.Step{
		"two recordings": {one}, "no step in common": {one, other}, "recording 2 has no step": {one, {step("read_page", `{}`, locate.Identity{})}},
	} {
		if _, err := learn.Learn("x", recordings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestLearnFromARow: a name beside an element that a parameter explains is that parameter.
func TestLearnFromARow(t *testing.T) {
	t.Parallel()
	record := func(name string) []recorder.Step {
		s := step("interact", `{"ref":"e1"}`, locate.Identity{Role: "button", Name: "Delete", Label: name, Leads: "POST /items/delete"})
		s.URL = "http://shop.example/items"
		return []recorder.Step{step("navigate", `{"url":"http://shop.example/items"}`, locate.Identity{}), s}
	}
	d, err := learn.Learn("delete_item", [][]recorder.Step{record("Lamp"), record("Chair")})
	if err != nil {
		t.Fatal(err)
	}
	if id := d.Steps[0].Targets["/ref"]; id.Label != "{row}" || id.Leads != "POST /items/delete" || len(d.Parameters) != 1 || d.Start != "/items" {
		t.Errorf("%+v, start %s, parameters %+v", id, d.Start, d.Parameters)
	}
}
