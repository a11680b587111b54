package locate_test

import (
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// Of elements that fit equally well, rules tell the one that is meant.
func TestFindTellsEqualsApart(t *testing.T) {
	tab := pagetest.Show(t, "")
	for _, c := range []struct{ body, query, want string }{
		{`<button disabled id=a>right</button><button id=b>right</button>`, "right", "b"},
		{`<div style="cursor:pointer" id=a><button id=b>Pay</button></div>`, "Pay", "b"},
		{`<div style="cursor:pointer" id=a><span role=option id=b>Red</span></div>`, "Red", "b"},
		{`<style>button{position:absolute;left:9px;top:9px}</style><button id=a>Year</button><button id=b>Year</button>`, "Year", "b"},
		{`<label id=a style="cursor:pointer">Volume</label><div role=slider id=b tabindex=0 aria-label=Volume>o</div>`, "Volume", "b"},
		{`<ul><li><i>alpha</i><button id=b>remove tag</button><li><i>beta</i><button>remove tag</button></ul>`, "remove alpha", "b"},
		{`<p><i class=star onclick=1>·</i><i class=star onclick=1>·</i><i class=star onclick=1 id=b>·</i><i class=star onclick=1>·</i></p>`, "star 3", "b"},
		{`<ul><li tabindex=0 title="Next Page" id=a><button tabindex=-1>right</button><li><button id=b>right</button></ul>`, "right", "b"},
		{`<div><h3>Ada</h3><button>Edit</button></div><div><h3>Bob</h3><button id=b>Edit</button></div>`, `Edit for "Bob"`, "b"},
		{`<button id=a aria-label="Close the window">×</button><div aria-label="Sales chart" id=b>…</div>`, "Sales chart", "b"},
		{`<table><tr><th tabindex=0>Name <button>Sort column ascending</button><th tabindex=0>Score <button id=b>Sort column ascending</button></table>`, "Sort column Score", "b"},
		{`<button>save</button><button id=b>Save</button>`, "/^Save$/", "b"},
		{`<button>Cancel</button><button id=b>SAVE</button>`, "/^save$/i", "b"},
	} {
		b := tab.Row(t, c.body)
		found, err := b.Locate.Find(b.Ctx, c.query, locate.FindOptions{})
		if err != nil || len(found) == 0 || len(found) > 1 && found[0].Score == found[1].Score {
			t.Errorf("%s: %s: %+v %v", c.query, c.body, found, err)
			continue
		}
		info, err := b.Document.Describe(b.Ctx, found[0].Ref)
		if err != nil || info.Attributes["id"] != c.want {
			t.Errorf("%s: %s: %+v %v", c.query, c.body, info, err)
		}
	}
}

func TestFindOptionsOfClosedSelect(t *testing.T) {
	b := pagetest.Show(t, `<select id=s><option>Apple<option>Pear</select>`)
	_, m := best(b, "Pear")
	if m.Role != "option" {
		t.Fatalf("%+v", m)
	}
	b.MustClick(m.Ref)
	if got := b.JS(`s.value`); got != "Pear" {
		t.Errorf("chosen: %s", got)
	}
}

// An element with half of the words is not taken while the one with all of them may come.
func TestFindWaitsForAllWords(t *testing.T) {
	b := pagetest.Show(t, `<button>Select Plants</button><script>function soon() { setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button>Select Oak</button>'), 150) }</script>`)
	b.JS(`soon()`)
	found, err := b.Locate.Find(b.Ctx, "Select Oak", locate.FindOptions{Wait: time.Minute})
	if err != nil || found[0].Name != "Select Oak" {
		t.Errorf("%+v %v", found, err)
	}
	found, err = b.Locate.Find(b.Ctx, "Select Elm", locate.FindOptions{})
	if err != nil || len(found) == 0 || !found[0].Partial() {
		t.Errorf("%+v %v", found, err)
	}
}
