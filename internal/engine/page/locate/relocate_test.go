package locate_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

const peopleTable = `<table><tr><th>Name<th>Do</tr><tr><td>Alice<td><button id=a>Edit</button><tr><td>Bob<td><button id=b>Edit</button></table>`

func TestRelocate(t *testing.T) {
	t.Parallel()
	before, after := pagetest.Show(t, ""), pagetest.Show(t, "")
	for name, c := range map[string]struct{ was, target, now, want string }{
		"cosmetic":          {`<button id=x class=p>Save</button>`, "#x", `<main><div><button id=y class=q><b>Save</b></button></div></main>`, "y by name"},
		"renamed":           {`<button id=x>Save</button>`, "#x", `<button id=x>Store</button><button>Cancel</button>`, `gone: no button is called "Save"`},
		"role":              {`<button id=x>Save</button>`, "#x", `<a id=x href=/>Save</a>`, `role: what is called "Save" is a link now`},
		"removed":           {`<button id=x>Save</button>`, "#x", `<p>Save</p>`, `gone: no button is called "Save"`},
		"two now":           {`<button id=x>Save</button>`, "#x", `<button>Save</button><button>Save</button>`, "ambiguous: 2 elements fit where there was one"},
		"hidden twin":       {`<button id=x>Save</button>`, "#x", `<button style="display:none">Save</button><button id=y>Save</button>`, "y by name"},
		"test id":           {`<button id=x data-testid=s>Save</button>`, "#x", `<button id=y data-testid=s>Store</button>`, "y by testId"},
		"test id, role":     {`<button id=x data-testid=s>Save</button>`, "#x", `<a href=/ data-testid=s>Store</a>`, `role: the element with test id "s" is a link "Store" now`},
		"test id, kind":     {`<input id=x data-testid=s aria-label=Pin type=password>`, "#x", `<input data-testid=s aria-label=Code>`, `role: the element with test id "s" is a textbox "Code" now`},
		"test id twice":     {`<button id=x data-test=s>Save</button>`, "#x", `<button data-test=s>A</button><button data-test=s>B</button>`, `ambiguous: 2 elements have the test id "s"`},
		"kind":              {`<label>Pin <input id=x type=password></label>`, "#x", `<label>Pin <input id=x></label>`, `gone: no textbox is called "Pin"`},
		"row":               {peopleTable, "#b", `<ul><li><h3>Bob</h3><button id=y>Edit</button><li><h3>Alice</h3><button id=z>Edit</button></ul>`, "y by name"},
		"row, more rows":    {peopleTable, "#b", strings.Replace(peopleTable, "<tr><td>Bob", "<tr><td>Carol<td><button>Edit</button><tr><td>Bob", 1), "b by name"},
		"row gone":          {peopleTable, "#b", `<table><tr><td>Alice<td><button>Edit</button><tr><td>Carol<td><button>Edit</button></table>`, `label: of 2 elements called so none is beside "Bob"`},
		"one row left":      {peopleTable, "#b", `<table><tr><td>Bob<td>none<tr><td>Alice<td><button>Edit</button></table>`, `label: of 1 elements called so none is beside "Bob"`},
		"own row left":      {peopleTable, "#b", `<table><tr><td>Alice<td>none<tr><td>Bob<td><button id=y>Edit</button></table>`, "y by name"},
		"number":            {`<button>Go</button><button id=x>Go</button>`, "#x", `<div><button>Go</button></div><p><button id=y>Go</button></p>`, "y by name"},
		"number, other":     {`<button>Go</button><button id=x>Go</button>`, "#x", `<button>Go</button><button>Go</button><button>Go</button>`, "count: it was number 2 of 2 alike, and there are 3 now"},
		"text":              {`<ul><li id=x draggable=true>Apple<li>Pear</ul>`, "#x", `<div><div draggable=true id=y>Apple</div><div>Pear</div></div>`, "y by text"},
		"text gone":         {`<ul><li id=x>Apple<li>Pear</ul>`, "#x", `<ul><li id=x>Plum<li>Pear</ul>`, `gone: nothing reads "Apple"`},
		"text twice":        {`<ul><li id=x>Apple<li>Pear</ul>`, "#x", `<ul><li>Apple<li>Apple</ul>`, "ambiguous: 2 elements fit where there was one"},
		"nameless field":    {`<input id=x>`, "#x", `<div><input id=y></div>`, "y by role"},
		"nameless fields":   {`<input id=x>`, "#x", `<input><input>`, "ambiguous: 2 elements fit where there was one"},
		"nameless button":   {`<button id=x><svg width=9 height=9></svg></button>`, "#x", `<button id=x><svg width=9 height=9></svg></button>`, "nameless: it had neither a name nor a test id nor a text, and it is not the only one of its kind"},
		"shadow":            {`<my-el id=h></my-el><script>h.attachShadow({mode:'open'}).innerHTML='<button id=x>Save</button>'</script>`, "#x", `<p><button id=y>Save</button>`, "y by name"},
		"into shadow":       {`<button id=x>Save</button>`, "#x", `<my-el id=h></my-el><script>h.attachShadow({mode:'closed'}).innerHTML='<button id=y>Save</button>'</script>`, "y by name"},
		"frame":             {`<iframe srcdoc="<button id=x>Save</button>"></iframe>`, "#x", `<button>Save</button><iframe srcdoc="<p><button id=y>Save</button>"></iframe>`, "y by name"},
		"frame gone":        {`<iframe srcdoc="<button id=x>Save</button>"></iframe>`, "#x", `<button>Save</button>`, `gone: no button is called "Save"`},
		"hidden file input": {`<label>Photo <input id=x type=file style="display:none"></label>`, "#x", `<div><label>Photo<input id=y type=file style="display:none"></label></div>`, "y by name"},
		"a field's value":   {`<div id=x contenteditable aria-label=Note>old</div>`, "#x", `<div id=y contenteditable aria-label=Note>new</div>`, "y by name"},
	} {
		t.Run(name, func(t *testing.T) {
			was := before.Row(t, c.was)
			id := was.Identify(c.target)
			if got := was.Relocated(id); !strings.HasSuffix(got, " by ref") {
				t.Errorf("in its own document: %s", got)
			}
			if got := after.Row(t, c.now).Relocated(id); got != c.want {
				t.Errorf("%+v\n got %s\nwant %s", id, got, c.want)
			}
		})
	}
}

// A ref is a number: in another document it may belong to another element.
func TestRefOfAnotherDocument(t *testing.T) {
	was := pagetest.Show(t, `<button id=x>Save</button><button id=z>Save</button>`)
	id := was.Identify("#z")
	now := pagetest.Show(t, `<button id=x>Save</button>`)
	now.Ref("#x")
	if got := now.Relocated(id); !strings.HasPrefix(got, "count: ") {
		t.Errorf("recognised %s with %+v", got, id)
	}
	var stale *document.StaleRefError
	was.JS(`document.querySelector('#z').remove()`)
	if _, err := was.Locate.Identify(was.Ctx, id.Ref); !errors.As(err, &stale) {
		t.Errorf("identifying what is gone: %v", err)
	}
}

func TestRecogniseInFramesOfOtherProcesses(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{"/leaf": pagetest.LeafDocument})
	frames := `<iframe src="` + at("localhost", "/leaf") + `"></iframe>`
	was, now := pagetest.Show(t, frames), pagetest.Show(t, `<button>Press</button><div>`+frames+`</div>`)
	var id locate.Identity
	for end := time.Now().Add(time.Minute); ; {
		found, _, err := was.Locate.Query(was.Ctx, locate.QueryOptions{CSS: "button", PierceShadow: true})
		if err == nil && len(found) == 1 {
			if id, err = was.Locate.Identify(was.Ctx, found[0].Ref); err != nil {
				t.Fatal(err)
			}
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the frame never came: %v", err)
		}
	}
	if id.Frame != "/leaf" || id.Name != "Press" {
		t.Fatalf("%+v", id)
	}
	var r locate.Relocation
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if r, err = now.Locate.Relocate(now.Ctx, id); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	now.MustClick(r.Ref)
	if got := now.Outline(); !strings.Contains(got, "Pressed") {
		t.Errorf("after the click: %s", got)
	}
}
