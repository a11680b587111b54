package acceptance_test

import (
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/proctest"
)

const cgitProgram = "/usr/lib/cgit/cgit.cgi"

// commit is one commit of a seed.
type commit struct {
	file, text, message, author string
	tag                         string // "" for none
}

// repositories are the content of cgit. The first has a branch "dimmer" at its second commit.
var repositories = []struct {
	name, description string
	commits           []commit
}{
	{"lamp", "Firmware of the lamp", []commit{
		{"README", "The lamp shines.\n", "Describe the lamp", "Ada Lovelace", ""},
		{"src/lamp.c", "int brightness = 10;\n", "Shine with ten candles", "Ada Lovelace", "v1.0"},
		{"src/lamp.c", "int brightness = 20;\n", "Shine with twenty candles", "Grace Hopper", ""},
		{"src/switch.c", "void toggle(void) {}\n", "Add a switch", "Grace Hopper", "v1.1"},
		{"src/lamp.c", "int brightness = 25;\n", "Repair the flicker", "Alan Turing", ""},
	}},
	{"kettle", "Firmware of the kettle", []commit{
		{"README", "The kettle boils.\n", "Describe the kettle", "Alan Turing", ""},
		{"src/kettle.c", "int degrees = 100;\n", "Boil at a hundred degrees", "Alan Turing", "v0.1"},
	}},
}

// StartCgit starts cgit (Debian's package) with two repositories. Each request is a process that
// ends with it.
func StartCgit(t testing.TB) App {
	t.Helper()
	proctest.Need(t, "git")
	needDebian(t, "cgit", cgitProgram)
	dir := t.TempDir()
	var config strings.Builder
	config.WriteString("virtual-root=/\ncss=/cgit.css\nlogo=\nfavicon=\nroot-title=Firmware\nroot-desc=Repositories of the workshop\nenable-index-owner=0\nenable-log-filecount=1\nenable-commit-graph=1\nlocal-time=0\n")
	for _, r := range repositories {
		path := filepath.Join(dir, r.name)
		makeRepository(t, path, r.commits)
		fmt.Fprintf(&config, "repo.url=%s\nrepo.path=%s\nrepo.desc=%s\n", r.name, filepath.Join(path, ".git"), r.description)
	}
	file := filepath.Join(dir, "cgitrc")
	if err := os.WriteFile(file, []byte(config.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/cgit.css", http.FileServer(http.Dir("/usr/share/cgit")))
	mux.Handle("/", &cgi.Handler{Path: cgitProgram, Root: "/", Env: []string{"CGIT_CONFIG=" + file, "HOME=" + dir}})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return App{Name: "cgit", URL: server.URL}
}

// makeRepository makes the same objects at every call: times, names and contents are fixed.
func makeRepository(t testing.TB, path string, commits []commit) {
	t.Helper()
	git := func(env []string, args ...string) { t.Helper(); runCommand(t, path, env, "git", args...) }
	if err := os.MkdirAll(filepath.Join(path, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(nil, "init", "-q", "-b", "main")
	for i, c := range commits {
		if err := os.WriteFile(filepath.Join(path, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		mail := strings.ToLower(strings.Fields(c.author)[0]) + "@workshop.example"
		when := fmt.Sprintf("2020-03-%02dT10:00:00Z", i+1)
		env := []string{
			"GIT_AUTHOR_NAME=" + c.author, "GIT_AUTHOR_EMAIL=" + mail, "GIT_AUTHOR_DATE=" + when,
			"GIT_COMMITTER_NAME=" + c.author, "GIT_COMMITTER_EMAIL=" + mail, "GIT_COMMITTER_DATE=" + when,
		}
		git(nil, "add", c.file)
		git(env, "commit", "-q", "-m", c.message)
		if c.tag != "" {
			git(env, "tag", "-a", "-m", "Release "+c.tag, c.tag)
		}
		if i == 1 {
			git(nil, "branch", "dimmer")
		}
	}
}
