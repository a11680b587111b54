package acceptance_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// change is a change of what a page means, and the one place where a site's tool must say so.
type change struct {
	name    string
	rewrite Rewrite
	before  []call // calls that go well
	call    call   // the call that meets the change
	where   string // tool and step in its answer
	says    string // what was expected
	writes  int    // requests that the calls before make which are no reads; -1: any
	intact  string // a path and a text that is there afterwards, divided by a space; "" for none
}

// replace returns a rewrite of pages below a path.
func replace(below, from, to string) Rewrite {
	return func(path, _, body string) string {
		if !strings.HasPrefix(path, below) {
			return body
		}
		return strings.ReplaceAll(body, from, to)
	}
}

func cgitChanges() []change {
	lamp := args{"repository": "lamp"}
	enter := []call{{"open_repository", lamp}}
	return []change{
		{"a button is renamed", replace("/lamp/", `value='search'`, `value='purge'`), enter, call{"search_commits", args{"words": "candles"}}, "search_commits, step 3", `button "search"`, 0, ""},
		{"a link is renamed", replace("/lamp/", `>log</a>`, `>history</a>`), enter, call{"open_log", args{}}, "open_log, step 1", `link "log"`, 0, ""},
		{"a column is renamed", replace("/lamp/log", `>Author</th>`, `>Reviewer</th>`), nil, call{"list_commits", lamp}, "list_commits", "Author", 0, ""},
		{"a link leads elsewhere", replace("/lamp/", `href='/lamp/log/'>log`, `href='http://127.0.0.1:9/lamp/log/'>log`), enter, call{"open_log", args{}}, "open_log, step 1", `link "log"`, 0, ""},
	}
}

func adminChanges() []change {
	login := []call{{"log_in", args{}}}
	return []change{
		{
			"a form sends the password elsewhere", replace("/admin/login", `<form action="/admin/login/`, `<form action="http://127.0.0.1:9/admin/login/`), nil,
			call{"log_in", args{}}, "log_in, step", "127.0.0.1:9", 0, "",
		},
		{"a button means something else", replace("/admin/auth/user/", `value="Save"`, `value="Delete"`), login, call{"set_email", args{"username": "grace", "email": "x@workshop.example"}}, "set_email, step 3", `button "Save"`, 1, ""},
		{
			"a button is there twice", replace("/admin/auth/user/", `<input type="submit" value="Yes, I’m sure">`, `<input type="submit" value="Yes, I’m sure"><input type="submit" name="all" value="Yes, I’m sure">`), login,
			call{"delete_user", args{"username": "alan"}}, "delete_user, step 3", `button "Yes, I’m sure"`, 1, "",
		},
		{
			"a field means something else", replace("/admin/auth/user/add", `Username:</label>`, `User to copy:</label>`), login,
			call{"add_user", args{"username": "edsger"}}, "add_user, step 1", `textbox "Username:"`, 1, "",
		},
	}
}

func wikiChanges() []change {
	edit := call{"edit_note", args{"title": "Plan", "text": "Sell the lamp."}}
	// A wiki keeps drafts as they are typed. The note itself stays as it was.
	const plan = "/recipes/default/tiddlers/Plan Repair the flicker"
	return []change{
		{"a button is renamed", replace("/", "Confirm changes to this tiddler", "Publish this tiddler to everyone"), nil, edit, "edit_note, step 5", `button "Confirm changes to this tiddler"`, -1, plan},
		{"a button means something else", replace("/", `\"text\":\"new tiddler\"`, `\"text\":\"import a wiki\"`), nil, call{"begin_note", args{}}, "begin_note, step 1", `button "new tiddler"`, -1, plan},
		{"a tab is renamed", replace("/", `Caption\",\"text\":\"Recent\"`, `Caption\",\"text\":\"Latest\"`), nil, call{"recent_notes", args{}}, "recent_notes, step 1", `tab "Recent"`, -1, plan},
	}
}

func changesOf(dir string) []change {
	return map[string][]change{"cgit": cgitChanges(), "admin": adminChanges(), "wiki": wikiChanges()}[dir]
}

// TestRedesign completes the tasks of each site in the redesigned application.
func TestRedesign(t *testing.T) {
	needSites(t)
	designs := map[string]Rewrite{"cgit": RedesignCgit, "wiki": RedesignWiki, "admin": RedesignAdmin}
	for _, a := range applications() {
		t.Run(a.dir, func(t *testing.T) {
			proxy := StartProxy(t, a.start(t).URL)
			proxy.Use(designs[a.dir])
			for _, x := range a.tasks {
				c := connect(t, proxy.URL, siteFlags(t, a.dir, proxy.URL)...)
				c.perform(x.name, x.site, x.want)
				_ = c.Close()
			}
			if proxy.Changed() == 0 {
				t.Error("the redesign changes nothing")
			}
		})
	}
}

// TestChangesOfMeaning lets each site meet changes of meaning: the tool that meets one is refused at
// the step that it concerns, and sends nothing that would change the application.
func TestChangesOfMeaning(t *testing.T) {
	needSites(t)
	n := 0
	for _, a := range applications() {
		n += len(changesOf(a.dir))
		t.Run(a.dir, func(t *testing.T) {
			proxy := StartProxy(t, a.start(t).URL)
			for _, x := range changesOf(a.dir) {
				t.Run(x.name, func(t *testing.T) { meet(t, a, proxy, x) })
			}
		})
	}
	if n < 10 {
		t.Errorf("%d changes of meaning, want 10", n)
	}
}

// meet makes the calls of a change in a session of its own.
func meet(t *testing.T, a application, proxy *Proxy, x change) {
	t.Helper()
	proxy.Use(x.rewrite)
	c := connect(t, proxy.URL, siteFlags(t, a.dir, proxy.URL)...)
	c.perform(x.name, x.before, nil)
	res := c.call(x.call.tool, x.call.args)
	if proxy.Changed() == 0 {
		t.Fatal("the change is in no page")
	}
	if !res.IsError || !strings.Contains(c.text, x.where) || !strings.Contains(c.text, x.says) {
		t.Errorf("%s %v says, as error %t:\n%s\nwant %q and %q", x.call.tool, x.call.args, res.IsError, c.text, x.where, x.says)
	}
	if path, text, ok := strings.Cut(x.intact, " "); ok {
		checkIntact(t, proxy.URL+path, text)
	}
	if got := proxy.Writes(); x.writes >= 0 && got != x.writes {
		t.Errorf("%d requests changed something, want %d", got, x.writes)
	}
}

// checkIntact reads an address whose text must hold what was there before.
func checkIntact(t *testing.T, address, text string) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(body), text) {
		t.Errorf("%s lacks %q: %v, %s", address, text, err, body)
	}
}
