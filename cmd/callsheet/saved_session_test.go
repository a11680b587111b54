package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/login/statefile"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// loggedIn is the text of the login site for a browser that is logged in.
const loggedIn = "cookie yes, local secret-local, database secret-database since 2001-02-03T04:05:06.000Z"

// loginSite logs in at /login, with a cookie that scripts cannot read, localStorage and IndexedDB,
// and shows at every other address what the browser knows.
func loginSite(t *testing.T) string {
	t.Helper()
	const database = `const open = () => new Promise((ok, no) => {
		const r = indexedDB.open("auth", 3);
		r.onupgradeneeded = () => r.result.createObjectStore("users", {keyPath: "id"}).createIndex("by-token", ["token", "since"], {unique: true});
		r.onsuccess = () => ok(r.result); r.onerror = () => no(r.error);
	});`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "secret-cookie", Path: "/", HttpOnly: true, MaxAge: 3600})
			_, _ = fmt.Fprintf(w, `<title>Login</title><script>%s
				window.ready = (async () => {
					localStorage.setItem("token", "secret-local");
					const db = await open();
					const t = db.transaction("users", "readwrite");
					t.objectStore("users").put({id: 1, token: "secret-database", since: new Date("2001-02-03T04:05:06Z"), key: new Uint8Array([1, 2, 3])});
					await new Promise((ok) => t.oncomplete = ok);
					return "logged in";
				})()</script>`, database)
			return
		}
		cookie := "no"
		if c, err := r.Cookie("sid"); err == nil && c.Value == "secret-cookie" {
			cookie = "yes"
		}
		_, _ = fmt.Fprintf(w, `<title>Home</title><script>%s
			window.ready = (async () => {
				const db = await open();
				const user = await new Promise((ok) => { const r = db.transaction("users").objectStore("users").index("by-token").getAll(); r.onsuccess = () => ok(r.result[0]); });
				const sound = !user || user.since instanceof Date && user.key instanceof Uint8Array && user.key[2] === 3;
				return "cookie %s, local " + localStorage.getItem("token") + ", database " + (sound ? user?.token + " since " + user?.since.toJSON() : "damaged");
			})()</script>`, database, cookie)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestSessionRestoreAfterRestart(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), loginSite(t)
	s.env = append(s.env, "CALLSHEET_KEY=correct horse battery")
	s.does("session list", "no session is saved")
	s.fails(exit.Tool, "session save work", "open a page first")
	s.does("navigate " + url + "/login")
	s.does(`eval "await ready"`, "logged in")
	s.does("session save work", "saved work, encrypted", "cookies 1, storage keys 1, databases 1", url, "tabs 1")
	daemon := s.state().PID
	browsers := children(daemon)
	s.does("daemon stop")
	for _, pid := range append(browsers, daemon) {
		eventually(t, "the processes end", func() bool { return !alive(pid) })
	}
	if found := tooltest.FilesContaining(t, s.env[1][len("XDG_STATE_HOME="):], "secret-"); found != nil {
		t.Errorf("the login can be read in %q", found)
	}

	s.does("navigate " + url)
	s.does(`eval "await ready"`, "cookie no, local null, database undefined")
	list := s.does("session list", "work, saved ", "encrypted", "tabs 1", url)
	restored := s.does("session restore work", "restored work", url+"/login")
	if strings.Contains(list+restored, "secret-") {
		t.Errorf("a value is in a result: %s%s", list, restored)
	}
	s.does("tabs", "tabCount: 1", "/login")
	s.does("navigate " + url)
	s.does(`eval "await ready"`, loggedIn)
	s.does("session rm work", "removed work")
	s.fails(exit.Tool, "session restore work", "no session was saved under this name")
}

func TestSessionsAreKept(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), loginSite(t)
	s.does("daemon start --keep-sessions", "running")
	s.does("navigate --session work " + url + "/login")
	s.does(`eval --session work "await ready"`, "logged in")
	s.does("daemon stop")
	s.does("daemon start --keep-sessions", "running")
	s.does("navigate --session work " + url)
	s.does(`eval --session work "await ready"`, loggedIn)
	s.does("navigate " + url)
	s.does(`eval "await ready"`, "cookie no, local null, database undefined")
	s.does("session list", "work, saved ", "readable by its owner (no key is set)")
}

func TestStorageStateOfPlaywright(t *testing.T) {
	proctest.Nightly(t)
	t.Parallel()
	proctest.Need(t, "npm")
	executable, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/storagestate")); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	s, url := newShell(t), loginSite(t)
	theirs, ours := filepath.Join(dir, "theirs.json"), filepath.Join(dir, "ours.json")
	want := loggedIn + " partitioned https://top.example"
	if out := runIn(t, dir, "node", "state.mjs", "write", executable, url, theirs); !strings.Contains(out, want) {
		t.Fatalf("Playwright is not logged in: %s", out)
	}
	s.does("daemon start --storage-state "+theirs+" --save-storage-state "+ours, "running")
	s.does("navigate " + url)
	s.does(`eval "await ready"`, loggedIn)
	s.does("daemon stop")
	if info, err := os.Stat(ours); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the state file: %v, %v", info, err)
	}
	state, err := statefile.Read(ours)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(state.Cookies, func(c statefile.Cookie) bool { return c.Name == "embedded" && c.PartitionKey == "https://top.example" }) {
		t.Error("the partitioned cookie is not in the state file")
	}
	if out := runIn(t, dir, "node", "state.mjs", "read", executable, url, ours); !strings.Contains(out, want) {
		t.Errorf("Playwright reads %s", out)
	}
}

func TestBadStorageStateIsRefusedAtStart(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for text, want := range map[string]string{
		"{\"cookies\": [\n  {]}": "state.json:2:4: this is no JSON",
		`{"cookies": [{"name": "sid", "value": "hunter2", "domain": 7}], "origins": []}`:           "state.json:1:60: cookies.domain has the wrong type, number",
		`{"cookies": [{"name": "sid", "value": "hunter2", "domain": "a.example"}], "origins": []}`: "cookies[0].path must begin with /",
		`{"cookies": [], "origins": [{"origin": "https://a.example/path", "localStorage": []}]}`:   "origins[0].origin must be scheme://host",
		`[]`: "the state has the wrong type, array",
		`{}`: "this is no storage state",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, "state.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, errs, code := s.run("serve", "--storage-state", "state.json")
		if code != exit.Usage || !strings.Contains(errs, want) || strings.Contains(errs, "hunter2") {
			t.Errorf("%s: exit %d, %s%s, want %q", text, code, out, errs, want)
		}
	}
}

func TestStateFilesStayInTheirDirectories(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), loginSite(t)
	s.does("navigate " + url + "/login")
	s.does(`eval "await ready"`, "logged in")
	for line, want := range map[string]string{
		"session export":                   "needs --out FILE",
		"session export --path state.json": "--out FILE",
		"session list --out state.json":    "of an export",
	} {
		s.fails(exit.Usage, line, want)
	}
	output := filepath.Join(strings.TrimPrefix(s.env[1], "XDG_STATE_HOME="), "callsheet", "output", "default")
	for line, name := range map[string]string{
		"session export --out kept.json":                            "kept.json",
		"session export typed.json":                                 "typed.json",
		"session export --json --out " + filepath.Join(output, "o"): filepath.Join(output, "o"),
	} {
		if out := s.does(line, "exported to "+name+": cookies 1"); strings.Contains(out, "export-") {
			t.Errorf("%s says where the server wrote: %s", line, out)
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.dir, name)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", line, info, err)
		}
	}
	s.fails(exit.Usage, "session export --out no/such/x.json", "no such file")
	if names, err := os.ReadDir(output); err != nil || len(names) != 1 {
		t.Errorf("the server keeps %v, %v", names, err)
	}
	s.fails(exit.Tool, "session import --path /etc/hostname", "outside")
	s.fails(exit.Tool, "session import kept.json", filepath.Join(s.dir, "kept.json"), "outside")
	s.does("session import --path o", "imported", "cookies 1")
	s.does("navigate " + url)
	s.does(`eval "await ready"`, loggedIn)
}

// runIn runs a program that must succeed in a directory and returns what it prints.
func runIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
