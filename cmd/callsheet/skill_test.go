package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/generated/metadata"
)

// maxSkillTokens bounds the tokens of the skill. A token has about four bytes of English.
const maxSkillTokens = 1500

func TestSkillIsShort(t *testing.T) {
	t.Parallel()
	s := shell{t: t, dir: t.TempDir()}
	text := s.does("skill", "---\nname: callsheet\ndescription: \"")
	if tokens := len(text) / 4; tokens > maxSkillTokens {
		t.Errorf("SKILL.md has %d tokens", tokens)
	} else {
		t.Logf("%d bytes, %d tokens", len(text), tokens)
	}
}

func TestSkillInstall(t *testing.T) {
	t.Parallel()
	s := shell{t: t, dir: t.TempDir()}
	file := filepath.Join(s.dir, ".claude", "skills", "callsheet", "SKILL.md")
	s.does("skill install", "+name: callsheet", "nothing is written")
	if _, err := os.Stat(file); err == nil {
		t.Error("it was written without --write")
	}
	s.does("skill install --write", "wrote")
	if data, err := os.ReadFile(file); err != nil || string(data) != metadata.Skill() {
		t.Errorf("%.40q %v", data, err)
	}
	s.does("skill install . --write", "up to date")
}

// skillReader is a shell that uses only what SKILL.md shows: verbs with their flags.
type skillReader struct {
	shell
	forms map[string][]string // flags by verb
}

func newAgent(t *testing.T) skillReader {
	t.Helper()
	a := skillReader{newShell(t), map[string][]string{}}
	block := regexp.MustCompile("(?m)^callsheet (.*)$|`callsheet ([^`]*)`")
	anywhere := regexp.MustCompile("`(--[a-z-]+)")
	var common []string
	for _, m := range anywhere.FindAllStringSubmatch(metadata.Skill(), -1) {
		common = append(common, m[1])
	}
	for _, m := range block.FindAllStringSubmatch(metadata.Skill(), -1) {
		line, _, _ := strings.Cut(m[1]+m[2], " # ")
		words, err := cmdline.Split(line)
		if err != nil || len(words) == 0 {
			t.Fatalf("%q: %v", line, err)
		}
		a.forms[words[0]] = append(a.forms[words[0]], common...)
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "--") {
				a.forms[words[0]] = append(a.forms[words[0]], w)
			}
		}
	}
	return a
}

// in is the reader in a subtest.
func (s skillReader) in(t *testing.T) skillReader {
	s.t = t
	return s
}

// uses runs a command that SKILL.md must show.
func (s skillReader) uses(line string, want ...string) string {
	s.t.Helper()
	words, err := cmdline.Split(line)
	if err != nil {
		s.t.Fatal(err)
	}
	flags, ok := s.forms[words[0]]
	if !ok {
		s.t.Errorf("SKILL.md has no verb %s", words[0])
	}
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "--") && !slices.Contains(flags, w) {
			s.t.Errorf("SKILL.md shows no %s %s", words[0], w)
		}
	}
	return s.does(line, want...)
}

// taskSite serves the pages of the five tasks.
func taskSite(t *testing.T) string {
	t.Helper()
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html>"+body) }
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", page(`<title>Login</title><form method=post action=/login><label>Email <input name=email type=email required></label>
		<label>Password <input name=password type=password></label><label><input type=checkbox name=stay value=1> Stay signed in</label><button>Sign in</button></form>`))
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<!doctype html><title>Account</title><h1>Welcome %s</h1><p>stay %s, password %t</p>", r.FormValue("email"), r.FormValue("stay"), r.FormValue("password") == "pw 1")
	})
	mux.HandleFunc("/shop", page(`<title>Shop</title><label>Search <input id=q></label><button onclick="setTimeout(() => out.innerHTML =
		'<table><tr><th>Item<th>Price<tr><td>' + q.value + ' small<td>4 EUR<tr><td>' + q.value + ' large<td>9 EUR</table><p>2 results</p>', 200)">Search</button><div id=out></div>`))
	mux.HandleFunc("/list", page(`<title>List</title><a href=/item/1 target=_blank>First</a> <a href=/item/2 target=_blank>Second</a>`))
	mux.HandleFunc("/item/{n}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<!doctype html><title>Item %[1]s</title><h1>Code %[1]s-%[1]s7</h1>", r.PathValue("n"))
	})
	mux.HandleFunc("/files", page(`<title>Files</title><a href=/report>Report</a>`))
	mux.HandleFunc("/report", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		fmt.Fprint(w, "a,b\n1,2\n")
	})
	mux.HandleFunc("/widget", page(`<title>Widget</title><input role=combobox aria-label=City aria-expanded=false aria-controls=cities
		oninput="cities.innerHTML = ['Bern', 'Berlin', 'Basel'].filter(c => c.startsWith(value)).map(c => '<li role=option onclick=&quot;city.textContent = textContent&quot;>' + c + '</li>').join('')">
		<ul id=cities role=listbox></ul><p>City: <b id=city>none</b></p><button onclick="document.title = confirm('Book it?') ? 'Booked' : 'Not booked'">Book</button>`))
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// TestTasksFromTheSkill solves five tasks with the commands of SKILL.md alone, each in a session of its
// own.
func TestTasksFromTheSkill(t *testing.T) {
	t.Parallel()
	one, site := newAgent(t), taskSite(t)
	t.Run("login form", func(t *testing.T) {
		a := one.in(t)
		a.uses("navigate "+site+"/login --session login", "Login")
		a.uses("snapshot --interactive --session login", `textbox "Email"`, `checkbox "Stay signed in"`)
		a.uses(`fill "Email" ann@example.com --session login`)
		a.uses(`fill "Password" "pw 1" --session login`)
		a.uses(`fill "Stay signed in" true --session login`)
		a.uses(`click "Sign in" --session login`, "Account")
		a.uses("snapshot --session login", "Welcome ann@example.com", "stay 1, password true")
	})
	t.Run("search and extract", func(t *testing.T) {
		a := one.in(t)
		a.uses("navigate " + site + "/shop --session shop")
		ref := a.ref(a.uses("snapshot --interactive --session shop"), `textbox "Search"`)
		a.uses("type " + ref + ` --text "Lamp" --session shop`)
		a.uses(`click "Search button" --then diff --session shop`)
		a.uses(`wait-for "2 results" --timeout 10000 --session shop`)
		a.uses("find /EUR/ --session shop", "4 EUR", "9 EUR")
		a.uses(`eval "[...document.querySelectorAll('td')].map(c => c.textContent).join('|')" --session shop`, "Lamp small|4 EUR|Lamp large|9 EUR")
	})
	t.Run("tabs", func(t *testing.T) {
		a := one.in(t)
		list, _, _ := strings.Cut(a.uses("navigate "+site+"/list --session tabs"), " ")
		for i, name := range []string{"First", "Second"} {
			id := regexp.MustCompile(`opened tab (t\d+)`).FindStringSubmatch(a.uses("click " + name + " --tab-id " + list + " --session tabs"))
			if id == nil {
				t.Fatal("the click opened no tab")
			}
			a.uses("snapshot --tab-id "+id[1]+" --session tabs", fmt.Sprintf("Code %d-%d7", i+1, i+1))
			a.uses("tab-close " + id[1] + " --session tabs")
		}
		if tabs := a.uses("tabs --session tabs", "/list"); strings.Contains(tabs, "/item/") {
			t.Errorf("tabs are left:\n%s", tabs)
		}
	})
	t.Run("download", func(t *testing.T) {
		a := one.in(t)
		a.uses("navigate " + site + "/files --session files")
		a.uses("click Report --session files")
		path := regexp.MustCompile(`(?m)^/\S+\.csv$`).FindString(a.uses("downloads --action wait --session files", "report.csv"))
		if data, err := os.ReadFile(path); err != nil || string(data) != "a,b\n1,2\n" {
			t.Errorf("%q: %q %v", path, data, err)
		}
	})
	t.Run("widget", func(t *testing.T) {
		a := one.in(t)
		a.uses("navigate " + site + "/widget --session widget")
		a.uses(`fill "City" Ber --session widget`)
		a.uses(`find "Berlin" --session widget`, "option")
		a.uses(`click Berlin --session widget`)
		a.uses("snapshot --session widget", "Berlin")
		a.uses("click Book --session widget", "confirm dialog")
		a.uses("dialog true --session widget", "accepted")
		a.uses(`eval "document.title + ' ' + city.textContent" --session widget`, "Booked Berlin")
		a.uses("screenshot --out shot.png --session widget", "shot.png")
	})
}

// TestSkillNamesVerbs makes sure that whatever a code span of the skill starts with the program is there.
func TestSkillNamesVerbs(t *testing.T) {
	t.Parallel()
	own := []string{"daemon", "VERB"}
	for verb := range newAgent(t).forms {
		if !slices.Contains(own, verb) && !slices.ContainsFunc(cli.Verbs(), func(v cmdline.Verb) bool { return v.Name == verb }) {
			t.Errorf("there is no verb %s", verb)
		}
	}
}
