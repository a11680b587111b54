package locate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/proctest"
)

const (
	none      = "NOT_FOUND"
	ambiguous = "AMBIGUOUS"

	transferForm = `<form><p>Current password: <input type=password id=old></p><p>New password: <input type=password id=new></p>
<p>Amount: <input id=amount></p><p>Recipient IBAN: <input id=iban></p></form>`
	twoAddresses = `<fieldset><legend>Home address</legend><label>City <input id=home></label></fieldset>
<fieldset><legend>Work address</legend><label>City <input id=work></label></fieldset>`
	cards = `<div class=card><h3>Ann</h3><p>Admin</p><button id=a>Delete</button></div><div class=card><h3>Bob</h3><p>Guest</p><button id=b>Delete</button></div>`
	// Bob has no button: what is beside another card's button does not name it.
	cardsWithoutBob = `<div class=list><div class=card><h3>Ann</h3><button id=a>Delete</button></div><div class=card><h3>Bob</h3><p>Guest</p></div></div>`
	symbols         = `<button id=times>×</button><button id=plus>+</button><button id=menu>☰</button><button id=like>👍</button><button id=dots>…</button>`
	sections        = `<h2>Shipping</h2><p>Oslo</p><button id=s>Edit</button><h2>Billing</h2><p>Bergen</p><button id=b>Edit</button>`
	regions         = `<section aria-label=Shipping><button id=s>Edit</button></section><section aria-labelledby=h><h2 id=h>Billing</h2><button id=b>Edit</button></section>`
	terms           = `<dl><dt>Name<dd>Ann <button id=n>Edit</button><dt>Email<dd>a@b.org <button id=e>Edit</button></dl>`
	people          = `<table><tr><th>Name<th>Role<th><tr><td>Ann<td>Admin<td><button id=a>Delete</button><tr><td>Bob<td>Guest<td><button id=b>Delete</button></table>`
	dialogOverPage  = `<button id=page>Delete</button><dialog id=d><h2>Sure?</h2><button id=in>Delete</button></dialog><script>d.showModal()</script>`
	popoverOverPage = `<button id=page>Delete</button><div popover id=p><button id=in>Delete</button></div><script>p.showPopover()</script>`
	drawerOverPage  = `<button id=page>Delete</button><div style="position:fixed;inset:0;background:#888"><div style="position:absolute;right:0;width:200px"><button id=in>Delete</button></div></div>`
	headedColumns   = `<table><tr><th>User<th>Mail<tr><td><input id=u><td><input id=m></table>`
	plainColumns    = `<table><tr><td>User<td>Mail<tr><td><input id=u><td><input id=m></table>`
	team            = `<table><tr><td>Ann<td><button id=a>Edit</button> <button id=da>Delete</button><tr><td>Bob<td><button id=b>Edit</button> <button id=db>Delete</button><tr><td>Bobby<td><button id=c>Edit</button> <button id=dc>Delete</button></table>`
	linkedRows      = `<ul><li><a href=/a>Ann</a> <button id=a>Delete</button><li><a href=/b>Bob</a> <button id=b>Delete</button></ul>`
	products        = `<article><h3>Lamp</h3><p>Bright, for the desk</p><button id=a>Add to cart</button></article><article><h3>Desk lamp</h3><button id=c>Add to cart</button></article>`
	twoFrames       = `<button id=a>Pay</button><iframe title="Card payment" srcdoc="<button id=x>Pay</button>"></iframe>`
	confirmation    = `<button>Save</button><div role=dialog aria-label=Edit style="position:fixed;left:200px;top:100px;background:#fff"><h2>Edit profile</h2><button id=x>Save</button><button id=close>Close</button></div>`
	ariaDialog      = `<button id=page>Save</button><div role=dialog aria-label=Edit style="position:fixed;left:200px;top:100px;background:#fff"><button id=in>Save</button></div>`
)

// TestName has a row for each rule of docs/reference/reading.md: the id of the element that the words name,
// or the refusal and what it says.
func TestName(t *testing.T) {
	t.Parallel()
	b, shown := pagetest.Show(t, ""), ""
	for _, c := range proctest.Sample(3, []struct {
		body, query string
		want        locate.Want
		id          string
	}{
		{`<button style="position:absolute;left:-9999px">Go</button><button id=x>Go</button>`, "Go", "", "x"},
		{`<form><h2>Log in</h2><label>Email <input></label></form><form><h2>Sign up</h2><label>Email <input></label></form>`, "Email", locate.WantField, ambiguous + `: "Log in"; "Sign up"`},
		// The name, then whole words of it.
		{`<button>Save as</button><button id=x>Save</button>`, "save", "", "x"},
		{`<button id=x>Save as draft</button>`, "save draft", "", "x"},
		{`<button id=x>Save as draft</button><button>Draft of a save</button>`, "as draft", "", "x"},
		{`<button>Save as draft</button><button>Save as copy</button>`, "save as", "", ambiguous + `: "Save as draft"; "Save as copy"`},
		{`<button>Small</button>`, "M", "", none + `: `},
		{`<button>Street view</button>`, "tree", "", none},
		{`<p>38418-S</p><a href=/x>39077-S</a>`, "39077-S", "", "a"},
		{`<a href=/x>39077-S</a>`, "38418-S", "", none},
		{`<label><input type=checkbox>Return receipt</label>`, "receipt.pdf", "", none},
		{`<button>Delete all</button>`, "Delete account", "", none + `: "Delete all"`},
		{`<button id=x>save</button><button>Save</button>`, "save", "", "x"},
		{`<button>save</button><button id=x>Save</button>`, "Save", "", "x"},
		{`<label>Total price * <input id=x></label>`, "Total price", "", "x"},
		{`<button>save</button><button id=x>Save</button>`, "/^Save$/", "", "x"},
		// Symbols are words.
		{symbols, "×", "", "times"}, {symbols, "+", "", "plus"}, {symbols, "+ button", "", "plus"}, {symbols, "☰", "", "menu"},
		{symbols, "👍", "", "like"}, {symbols, "…", "", "dots"},
		{`<button>Delete account</button>`, "× button", "", none}, {`<button>×</button>`, "+", "", none},
		{`<button>👍🏽</button><button id=x>👍</button>`, "👍", "", "x"}, {`<button>−</button><button id=x>-</button>`, "-", "", "x"},
		{`<button>C</button>`, "C++", "", none}, {`<button>C++</button><button id=x>C#</button>`, "C#", "", "x"},
		{`<button id=x>+ Add</button><button>Add to cart</button>`, "Add", "", "x"},
		{`<button id=x aria-label="Close the window">×</button>`, "×", "", "x"},
		{`<button>?</button><button>Delete account</button>`, "… button", "", none}, {`<button>Pay</button><button id=x>?</button>`, "? button", "", "x"}, {`<button>#</button><button id=x>@</button>`, "button @", "", "x"},
		{`<button>B</button>`, "B-", "", none}, {`<button>A</button><button id=x>A-</button>`, "A-", "", "x"}, {`<button>−1</button><button id=x>B- button</button>`, "B- button", "", "x"},
		// A hyphen between letters and a point between digits are in a word; a space or hyphen makes no difference.
		{`<button>Re-open</button>`, "open", "", none}, {`<button>Non-stop</button><button id=x>Stop it</button>`, "stop", "", "x"}, {`<button>1.5</button><button>2,500</button>`, "5", "", none},
		{`<button id=x>Wi-Fi settings</button>`, "wifi settings", "", "x"}, {`<button id=x>Log in</button><a href=/h>Login help</a>`, "login", "", "x"}, {`<label>E-Mail* <input id=x></label>`, "email", locate.WantField, "x"},
		{`<button id=x>Sign-up now</button>`, "Sign up", "", "x"}, {`<button>1 0</button>`, "10", "", none},
		// A name that says "not" is not meant by the words without it.
		{`<button>Don’t save</button>`, "Save", "", none}, {`<button>Do not delete</button>`, "delete", "", none}, {`<button>Nicht speichern</button>`, "speichern", "", none},
		{`<button id=x>Don’t save</button><button>Save</button>`, "Don't save", "", "x"},
		// Case, width and apostrophes.
		{`<button id=x>Straße</button>`, "STRASSE", "", "x"}, {`<button>Ｏ Ｋ</button><button id=x>ＯＫ</button>`, "OK", "", "x"}, {`<button id=x>Save &amp; close</button>`, "Save and close", "", "x"},
		{`<button id=x>Bob’s files</button>`, "Bob's files", "", "x"}, {`<p>用户名：<input></p><p>密码：<input id=x></p>`, "密码", locate.WantField, "x"}, {`<button>不同意</button><button id=x>同意</button>`, "同意", "", "x"},
		// Role words.
		{`<a href=/s>Save</a><button id=x>Save</button>`, "Save button", "", "x"}, {`<a id=x href=/s>Save</a><button>Save</button>`, "link Save", "", "x"},
		{`<p>Name</p><div role=tree><div role=treeitem id=x tabindex=0>Name</div></div>`, "Name treeitem", "", "x"},
		{`<label><input type=radio id=x> Small</label><button>Small</button>`, "Small radio button", "", "x"},
		{`<input id=x><dialog open><p>Hi</p></dialog>`, "textbox", "", "x"}, {`<input><div role=dialog><input id=x></div>`, "textbox in dialog", "", "x"},
		{`<button>Delete account</button>`, "Delete account link", "", none},
		{`<div id=x style="cursor:pointer" onclick=1>Open</div><p>Open</p>`, "Open clickable", "", "x"},
		// Places.
		{cards, "Delete for Bob", "", "b"}, {cards, "Delete in card Ann", "", "a"}, {cards, "Delete Bob", "", "b"}, {cards, `Delete in "Bob"`, "", "b"},
		{cards, "Delete for Guest", "", "b"}, {cards, "Delete", "", ambiguous + `: in "Ann"; in "Bob"`}, {cards, "Delete for Carl", "", none},
		{cardsWithoutBob, "Delete for Bob", "", none}, {cardsWithoutBob, "Delete Bob", "", none}, {cardsWithoutBob, "Delete for Ann", "", "a"},
		{people, "Delete for Bob", "", "b"}, {people, "Delete in row Ann", "", "a"}, {people, "Delete in row 2", "", "b"}, {people, "Delete for Guest", "", "b"},
		{`<ul><li>Ann <button>Delete</button><li>Bob</ul>`, "Delete for Bob", "", none},
		{`<ul><li>Team <ul><li>Ann <button>Delete</button><li>Bob</ul></ul>`, "Delete for Bob", "", none},
		{`<div>Ann <button id=a>Delete</button><br>Bob <button id=b>Delete</button></div>`, "Delete for Bob", "", "b"},
		{`<div><p><a href=/b>Bob</a> <button id=b>Delete</button></p><p><a href=/a>Ann</a> <button>Delete</button></p></div>`, "Delete for Bob", "", "b"},
		{sections, "Edit Shipping", "", "s"}, {sections, "Edit in the Billing section", "", "b"}, {sections, "Edit", "", ambiguous + `: "Shipping"; "Billing"`},
		{regions, "Edit Shipping", "", "s"}, {regions, "Edit under Billing", "", "b"}, {terms, "Edit Email", "", "e"}, {terms, "Edit for Name", "", "n"},
		{twoAddresses, "City in Work address", "", "work"}, {twoAddresses, "City in Home address", locate.WantField, "home"},
		{twoAddresses, "City", locate.WantField, ambiguous + `: "Home address"; "Work address"`},
		{twoAddresses, "City in address", "", ambiguous},
		{dialogOverPage, "Delete in dialog", "", "in"},
		{`<details open><summary>More</summary><button id=x>Edit</button></details><button>Edit</button>`, "Edit in More", "", "x"},
		{team, "row Bob, Delete", "", "db"}, {team, "Bob's Delete button", "", "db"}, {team, "Bob > Delete", "", "db"}, {team, "Delete in the second row", "", "db"},
		{team, "first Edit", "", "a"}, {team, "the 2nd Delete button", "", "db"}, {team, "last Delete", "", "dc"}, {team, "fourth Edit", "", none}, {team, "first Save", "", none},
		{`<label>Name <input></label><fieldset><label>Name <input></label></fieldset>`, "first name", locate.WantField, none}, {`<button>Edit</button>`, "second Edit", "", none},
		{linkedRows, "Delete Bob", "", "b"}, {linkedRows, "Delete Ann", "", "a"}, {`<ul><li><a href=/b>Bob</a> <button id=b>Delete</button></ul>`, "Delete Bob", "", "b"},
		{products, "Add Desk lamp to the cart", "", "c"}, {products, "Add to cart Desk lamp", "", "c"}, {products, "Add to cart for Lamp", "", "a"},
		{twoFrames, "Pay in Card payment", "", "x"}, {twoFrames, "Pay in the Card payment iframe", "", "x"}, {twoFrames, "Pay in frame", "", "x"}, {twoFrames, "Pay", "", ambiguous},
		{confirmation, "dialog Save", "", "x"}, {confirmation, "Close dialog", "", "close"}, {confirmation, "close the dialog", "", "close"}, {confirmation, "the Save button in the Edit dialog", "", "x"},
		{`<ul><li>Ann <button>Delete</button></ul>`, "Delete list", "", none}, {`<ul><li>Plan A <button id=x>Pick</button><li>Plan B <button>Pick</button></ul>`, "Pick Plan A", "", "x"},
		{`<details open><summary>Billing</summary><button id=x>Edit</button></details><details open><summary>Other</summary><button>Edit</button></details>`, "Edit Billing", "", "x"},
		// The topmost layer.
		{dialogOverPage, "Delete", "", "in"}, {popoverOverPage, "Delete", "", "in"}, {drawerOverPage, "Delete", "", "in"}, {ariaDialog, "Save", "", "in"},
		{`<nav style="position:fixed;top:0"><a href=/a>Settings</a></nav><div style="margin-top:90px"><a href=/b>Settings</a></div>`, "Settings", "", ambiguous},
		// Labels: of fields without a name, on their line, else above, and never past another control.
		{transferForm, "Amount", locate.WantField, "amount"}, {transferForm, "New password", locate.WantField, "new"}, {transferForm, "Current password", "", "old"},
		{transferForm, "Recipient IBAN", "", "iban"}, {transferForm, "password", locate.WantField, ambiguous},
		{`<p>Select a day.</p><p>Date: <input readonly id=d></p>Name: <input id=n><br>Age: <input id=a>`, "Date", "", "d"},
		{`<p>Select a day.</p><p>Date: <input readonly id=d></p>Name: <input id=n><br>Age: <input id=a>`, "Age", "", "a"},
		{`<b>Amount</b> (EUR) <input id=x>`, "Amount (EUR)", "", "x"}, {`<p>File Versioning</p><select id=x><option>None</select>`, "File Versioning", "", "x"},
		{`<p>Amount</p><label>Recipient <input></label>`, "Amount", locate.WantField, none}, {`<p>Amount <button>?</button></p><p><input></p>`, "Amount", locate.WantField, none},
		{`<div>Amount</div><input type=checkbox aria-label=Confirm><input>`, "Amount", locate.WantField, none},
		{`<input type=checkbox id=a> Terms <input type=checkbox id=b> News`, "News", locate.WantField, "b"},
		{`Yes <input type=radio id=a> No <input type=radio id=b>`, "No", locate.WantField, "b"}, {`<p>Pick: <input type=radio id=a> A <input type=radio id=b> B</p>`, "A", locate.WantField, "a"},
		{`<table><tr><td>Amount<td><input id=x><tr><td>Note<td><input></table>`, "Amount", locate.WantField, "x"},
		{`<p>Stars</p><select id=x><option>1</select><p>Sort</p><select><option>2</select>`, "Stars", locate.WantField, "x"},
		{`<label for=k>Keywords</label><div><span contenteditable id=x aria-label="Tags input">&nbsp;</span></div><input id=k hidden>`, "Keywords", locate.WantField, "x"},
		{`<div role=combobox><select id=x aria-label=Toppings><option>Ham</select><input aria-label=Toppings></div>`, "Toppings", locate.WantField, "x"},
		{headedColumns, "Mail", locate.WantField, "m"}, {plainColumns, "Mail", locate.WantField, "m"}, {plainColumns, "User", locate.WantField, "u"},
		{`<table><tr><th>Name<th>City<tr><td>Ann<td><input><tr><td>Bob<td><input id=x></table>`, "City", locate.WantField, ambiguous},
		{`<table><tr><th>Name<th>City<tr><td>Ann<td><input><tr><td>Bob<td><input id=x></table>`, "City for Bob", locate.WantField, "x"},
		{`<div>Name</div><div role=alert>Too short</div><input id=x>`, "Name", locate.WantField, "x"}, {`<div>Name</div><div role=alert>Too short</div><input>`, "Too short", locate.WantField, none},
		{`<fieldset id=x><legend>Size</legend><label><input type=radio name=s> S</label><label><input type=radio name=s> M</label></fieldset>`, "Size", locate.WantField, "x"},
		{`<fieldset><legend>Size</legend><label><input type=radio name=s> S</label><label>Other <input></label></fieldset>`, "Size", locate.WantField, none},
		// A link, a heading and a button label nothing.
		{`<h3>Forgot password?</h3><label>Password <input type=password></label>`, "Forgot password?", locate.WantField, none + `: textbox "Password"`},
		{`<div onclick=1 style="cursor:pointer">Add item</div><input>`, "Add item", locate.WantField, none}, {`<div id=d>Add item</div><input><script>d.addEventListener('click',()=>{})</script>`, "Add item", locate.WantField, none},
		{`<a href=#f>Forgot password?</a><label>Password <input type=password></label>`, "Forgot password?", locate.WantField, none + `: textbox "Password"`},
		{`<h2>Delete account</h2><label>Your name <input></label>`, "Delete account", locate.WantField, none + `: textbox "Your name"`},
		{`<button>Add item</button><label><input type=checkbox>Terms</label>`, "Add item", locate.WantField, none + `: checkbox "Terms"`},
		{`<h2>Delete account</h2><input>`, "Delete account", locate.WantField, none}, {`<a href=#f>Help</a><input>`, "Help", locate.WantField, none},
		{`<div role=button tabindex=0>Add</div><select><option>1</select>`, "Add", locate.WantField, none},
		// Equal ones that a rule tells apart, and controls that only their markup describes.
		{`<button disabled>Next</button><button id=x>Next</button>`, "Next", "", "x"}, {`<div style="cursor:pointer" onclick=1><button id=x>Pay</button></div>`, "Pay", "", "x"},
		{`<div id=x data-testid="delete-row" style="cursor:pointer;width:20px;height:20px"></div>`, "delete row", "", "x"},
		{`<label>Recipient <input name=amount></label>`, "amount", locate.WantField, none},
		{`<button aria-label=swatch style="color:#ff0000"></button><button aria-label=swatch id=x style="color:#00ff00"></button>`, "#00ff00", "", "x"},
	}) {
		t.Run(c.query, func(t *testing.T) {
			if c.body != shown { // names change nothing
				b.Body(c.body)
				shown = c.body
			}
			m, err := b.Locate.Name(b.Ctx, c.query, locate.FindOptions{Want: c.want})
			checkName(t, b, m, err, c.body, c.id)
		})
	}
}

func checkName(t *testing.T, b *pagetest.Tab, m locate.Match, err error, body, want string) {
	t.Helper()
	got := none + ": "
	switch err {
	case nil:
		info, err := b.Document.Describe(b.Ctx, m.Ref)
		if err != nil {
			t.Fatal(err)
		}
		if got = info.Attributes["id"]; got == "" {
			got = info.Tag[:1]
		}
	default:
		if several, ok := errors.AsType[*locate.AmbiguousError](err); ok {
			got = ambiguous + ": " + strings.Join(several.Candidates, "; ")
		} else if missing, ok := errors.AsType[*locate.NoMatchError](err); ok {
			got += strings.Join(missing.Nearest, "; ")
		} else {
			t.Fatal(err)
		}
	}
	code, parts, refused := strings.Cut(want, ": ")
	if !refused && got != want && !strings.HasPrefix(got, want+": ") || refused && !strings.HasPrefix(got, code) {
		t.Fatalf("%s\nnames %s, want %s", body, got, want)
	}
	for part := range strings.SplitSeq(parts, "; ") {
		if !strings.Contains(got, part) {
			t.Errorf("%s\nsays %s, want %s", body, got, want)
		}
	}
}
