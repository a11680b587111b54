package acceptance_test

import (
	"strings"
	"testing"
)

// call is one call of a task. In a text argument $BASE is the origin, and $REF:WORDS the ref of the
// first line of the last answer that holds the words.
type call struct {
	tool string
	args map[string]any
}

type args = map[string]any

// task is a task of a client in an application, with the calls that a good agent needs: with the
// tools of the site, and with the generic ones, where it knows the address of the application and
// nothing else, reads a page once, and asks for differences or single elements where these suffice.
type task struct {
	name    string
	site    []call
	generic []call
	want    []string // texts of the last answer of both
}

// application is one application with its site and tasks.
type application struct {
	name, kind string
	start      func(testing.TB) App
	dir        string // of the site
	tasks      []task
}

func applications() []application {
	return []application{
		{name: "cgit", kind: "pages from a server", start: StartCgit, dir: "cgit", tasks: cgitTasks()},
		{name: "TiddlyWiki", kind: "one page", start: StartWiki, dir: "wiki", tasks: wikiTasks()},
		{name: "Django admin", kind: "with a login", start: StartAdmin, dir: "admin", tasks: adminTasks()},
	}
}

// perform makes the calls of a task and returns what they cost.
func (c *client) perform(name string, calls []call, want []string) (n, bytes int) {
	c.t.Helper()
	c.calls, c.bytes = 0, 0
	for _, one := range calls {
		filled, ok := c.fill(one.args).(args)
		if !ok {
			filled = args{}
		}
		if res := c.call(one.tool, filled); res.IsError {
			c.t.Errorf("%s: %s %v is refused: %s", name, one.tool, filled, c.text)
			return c.calls, c.bytes
		}
	}
	for _, w := range want {
		if !strings.Contains(c.text, w) {
			c.t.Errorf("%s: the last answer lacks %q:\n%s", name, w, c.text)
		}
	}
	return c.calls, c.bytes
}

// fill replaces $BASE and $REF in the texts of arguments.
func (c *client) fill(v any) any {
	c.t.Helper()
	switch v := v.(type) {
	case string:
		if words, ok := strings.CutPrefix(v, "$REF:"); ok {
			return c.ref(words)
		}
		return strings.ReplaceAll(v, "$BASE", c.base)
	case args:
		out := args{}
		for k, x := range v {
			out[k] = c.fill(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = c.fill(x)
		}
		return out
	}
	return v
}

// ref returns the ref that stands after words in the last answer.
func (c *client) ref(words string) string {
	c.t.Helper()
	_, rest, ok := strings.Cut(c.text, words)
	_, rest, ok2 := strings.Cut(rest, "[e")
	number, _, ok3 := strings.Cut(rest, "]")
	if !ok || !ok2 || !ok3 {
		c.t.Fatalf("no ref after %q in\n%s", words, c.text)
	}
	return "e" + number
}

func read(path string) call { return call{"navigate", args{"url": "$BASE" + path, "then": "read"}} }

func press(query, then string) call {
	return call{"interact", args{"query": query, "then": then}}
}

func pressRef(words, then string) call {
	return call{"interact", args{"ref": "$REF:" + words, "then": then}}
}

func field(query, value string) args    { return args{"query": query, "value": value} }
func fieldRef(words, value string) args { return args{"ref": "$REF:" + words, "value": value} }

func cgitTasks() []task {
	lamp := args{"repository": "lamp"}
	enter := []call{read("/"), press("lamp", "read")}
	return []task{
		{"who made the latest commit of lamp, and why", []call{{"list_commits", lamp}}, enter, []string{"Repair the flicker", "Alan Turing"}},
		{
			"which commits speak of candles",
			[]call{{"open_repository", lamp}, {"search_commits", args{"words": "candles"}}},
			append(enter[:2:2], call{"fill_form", args{"fields": []any{fieldRef("searchbox", "candles")}, "submit": "search"}}, call{"read_page", args{}}),
			[]string{"Shine with ten candles", "Shine with twenty candles", "Grace Hopper"},
		},
		{
			"who made v1.0, and when",
			[]call{{"read_tag", args{"repository": "lamp", "tag": "v1.0"}}},
			append(enter[:2:2], call{"navigate", args{"url": "$BASE/lamp/tag/?h=v1.0", "then": "read"}}), []string{"Ada Lovelace", "2020-03-02"},
		},
		{
			"what src/lamp.c holds",
			[]call{{"read_file", args{"repository": "lamp", "path": "src/lamp.c"}}},
			append(enter[:2:2], read("/lamp/tree/src/lamp.c")), []string{"int brightness = 25;"},
		},
		{
			"who changed src/lamp.c",
			[]call{{"file_history", args{"repository": "lamp", "path": "src/lamp.c"}}},
			append(enter[:2:2], read("/lamp/log/src/lamp.c")), []string{"Ada Lovelace", "Grace Hopper", "Alan Turing"},
		},
	}
}

func wikiTasks() []task {
	enter := read("/")
	return []task{
		{"what the note Lamp says", []call{{"read_note", args{"title": "Lamp"}}}, []call{enter, press("Lamp", "diff")}, []string{"shines with 25 candles"}},
		{
			"which notes speak of candles", []call{{"search_notes", args{"words": "candles"}}},
			[]call{enter, {"form_input", args{"ref": "$REF:searchbox", "value": "candles", "then": "none"}}, {"wait_for", args{"type": "text", "value": "1 matches"}}, {"find", args{"query": "link Lamp"}}},
			[]string{"Lamp"},
		},
		{
			"write a note", []call{{"create_note", args{"title": "Toaster", "text": "The toaster browns."}}, {"read_note", args{"title": "Toaster"}}},
			[]call{enter, press("new tiddler", "read"), {"fill_form", args{"fields": []any{fieldRef("- textbox", "Toaster"), field("Type the text for this tiddler", "The toaster browns.")}, "submit": "Confirm changes to this tiddler"}}, {"find", args{"query": "The toaster browns."}}},
			[]string{"The toaster browns."},
		},
		{
			"tag a note", []call{{"tag_note", args{"title": "Plan", "tag": "Urgent"}}, {"read_note", args{"title": "Plan"}}},
			[]call{read("/#Plan:[[Plan]]"), press("Edit this tiddler", "read"), {"form_input", args{"query": "tag name", "value": "Urgent", "then": "read"}}, pressRef(`textbox "tag name"`, "none"), press("Confirm changes to this tiddler", "none"), {"find", args{"query": "Urgent"}}},
			[]string{"Urgent"},
		},
		{
			"delete a note", []call{{"delete_note", args{"title": "Kettle"}}, {"recent_notes", args{}}},
			[]call{read("/#Kettle:[[Kettle]]"), press("Edit this tiddler", "none"), press("Delete this tiddler", "none"), {"dialog", args{"accept": true}}, press("Recent", "diff")},
			[]string{"Lamp"},
		},
	}
}

func adminTasks() []task {
	login := call{"log_in", args{}}
	enter := []call{read("/admin/"), {"fill_form", args{"fields": []any{field("Username", AdminUser), field("Password", "{secret:ADMIN_PASSWORD}")}, "submit": "Log in"}}}
	open := func(who string) []call {
		return append(enter[:2:2], read("/admin/auth/user/"), press(who, "read"))
	}
	return []task{
		{"which address grace has", []call{login, {"find_users", args{"words": "grace"}}}, append(enter[:2:2], call{"read_page", args{}}, press("Users", "read")), []string{"grace@workshop.example"}},
		{
			"change the address of alan", []call{login, {"set_email", args{"username": "alan", "email": "turing@workshop.example"}}, {"read_user", args{"username": "alan"}}},
			append(open("alan"), call{"form_input", field("Email address", "turing@workshop.example")}, press("Save", "none"), call{"find", args{"query": "turing@workshop.example"}}), []string{"turing@workshop.example"},
		},
		{
			"add the user edsger", []call{login, {"add_user", args{"username": "edsger"}}, {"find_users", args{"words": "edsger"}}},
			append(enter[:2:2], read("/admin/auth/user/add/"), call{"fill_form", args{"fields": []any{field("Username", "edsger"), field("Password:", "{secret:NEW_PASSWORD}"), field("Password confirmation", "{secret:NEW_PASSWORD}")}, "submit": "Save"}}, call{"find", args{"query": "link edsger"}}), []string{"edsger"},
		},
		{
			"keep grace from logging in", []call{login, {"deactivate_user", args{"username": "grace"}}, {"recent_actions", args{}}},
			append(open("grace"), call{"form_input", field("Active", "false")}, press("Save", "none"), call{"find", args{"query": "link grace"}}), []string{"grace"},
		},
		{
			"delete alan", []call{login, {"delete_user", args{"username": "alan"}}, {"recent_actions", args{}}},
			append(open("alan"), press("Delete", "read"), press("Yes, I’m sure", "none"), call{"find", args{"query": "was deleted successfully"}}), []string{"alan"},
		},
	}
}
