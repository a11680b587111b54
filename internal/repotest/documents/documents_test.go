//go:build unix

// Package documents runs the commands of the documents as a reader does who copies them into an empty directory.
package documents

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

	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/proctest"
)

// checkout is the root of the repository.
var checkout = func() string {
	path, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		panic(err)
	}
	return path
}()

// rule is how the commands with a beginning run that do not simply run: until they say something, with another exit code,
// or with more commands after them.
type rule struct {
	begins string
	until  string // a regular expression: the program is ended when its output matches
	code   int
	then   string // shell commands that do what the document leaves to its reader
}

// rules has them; the first that fits counts.
var rules = []rule{
	{begins: "make run", until: "serving"},
	{begins: "callsheet daemon start --webmcp", then: "callsheet navigate https://shop.example/webmcp.html"},
	{begins: "callsheet token revoke ", then: `rm "$HOME/.config/callsheet/callsheet.yaml"`}, // config init writes no other file than a new one
	{begins: "callsheet webmcp call ", code: 1},                                              // it asks on a terminal, and this is none
	{begins: "callsheet config schema", then: `printf '\nprofiles:\n  work:\n    headless: true\n' >>"$HOME/.config/callsheet/callsheet.yaml"`},
	{begins: "callsheet site new shop", then: `cp "$FIXTURES"/shop/* .`},
	{begins: "callsheet site record ", then: "rm -r shop && callsheet site new shop"},                // the list of the first one is frozen
	{begins: "callsheet record ", until: `recording rec-\S+;`, then: `cp "$FIXTURES"/shop/*.json .`}, // in which a person acts
	{begins: "callsheet ui", until: `http://\S+`},
	{begins: "callsheet jobs work ", until: "works? |working"},
	{begins: "toolgen import ", then: "rm -r manifest"}, // another import needs --update
}

// ruleOf returns the rule of a command.
func ruleOf(line string) rule {
	if i := slices.IndexFunc(rules, func(r rule) bool { return strings.HasPrefix(line, r.begins) }); i >= 0 {
		return rules[i]
	}
	return rule{}
}

// page is a document whose commands run.
type page struct {
	name    string
	nightly bool   // it is slow, or seldom breaks
	module  bool   // each section of the second level begins in a server that toolgen init has begun
	within  string // the directory of the checkout where it runs; "" is an empty one
	before  string // shell commands that make what the document takes for granted
}

// makeInCheckout has make work in the checkout and write its programs elsewhere.
const makeInCheckout = `mkdir "$SCRATCH/bin"
printf '#!/bin/sh\nexec %s -C "$CHECKOUT" BIN="$BIN" HTTP="$HTTP" "$@"\n' "$(command -v make)" >"$SCRATCH/bin/make"
chmod +x "$SCRATCH/bin/make"; PATH="$SCRATCH/bin:$PATH"`

// serverBefore serves at the address of the documents until the script ends.
const serverBefore = `background 'callsheet --http 127.0.0.1:9876'
says serving "$SCRATCH/background.log"`

// otherServers has the server of the module stand for those that npx and node would start, and for those of the web.
const otherServers = `go build -o "$SCRATCH/hello" . && mkdir "$SCRATCH/bin" "$SCRATCH/empty" && cd "$SCRATCH/empty"
for name in npx node; do printf '#!/bin/sh\nexec "%s/hello"\n' "$SCRATCH" >"$SCRATCH/bin/$name" && chmod +x "$SCRATCH/bin/$name"; done
PATH="$SCRATCH/bin:$PATH"; export TOKEN=token KEY=key
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}' \
  '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
  "$SCRATCH/hello" | sed -n 's/.*"id":2,"result":\(.*\)}$/\1/p' | tee list.json tools.json >old.json
git init -qb main && git add tools.json && git -c user.name=Ada -c user.email=ada@example.com commit -qm list
background '"$SCRATCH/hello" --http "$HTTP"'
says serving "$SCRATCH/background.log"`

var pages = []page{
	{name: "README.md", before: makeInCheckout},
	{name: "docs/how-to/attach.md", before: `mkdir -p "$HOME/.config"
background '"$CHROMIUM" --headless --no-sandbox --remote-debugging-port=0 --user-data-dir="$HOME/.config/chromium" about:blank'
says listening "$SCRATCH/background.log"`},
	{name: "docs/how-to/crawl.md"},
	{name: "docs/how-to/operate.md"},
	{name: "docs/how-to/record.md", before: `(umask 077 && echo PW=correct-horse >.env)
callsheet recording-start && callsheet navigate https://shop.example && callsheet fill Password correct-horse && callsheet recording-stop
callsheet recording-export --out recording.json`},
	{name: "docs/how-to/sessions.md"},
	{name: "docs/how-to/sites.md"},
	{name: "docs/how-to/toolgen-releases.md", nightly: true, module: true},
	{name: "docs/how-to/toolgen-server.md", module: true},
	{name: "docs/how-to/toolgen-upstream.md", nightly: true, module: true},
	{name: "docs/how-to/watch.md", before: serverBefore},
	{name: "docs/how-to/webmcp.md"},
	{name: "docs/how-to/workflows.md"},
	{name: "docs/reference/command-line.md", before: serverBefore + "\ncallsheet navigate https://shop.example"},
	{name: "docs/reference/toolgen-protocol.md", module: true},
	{name: "docs/tutorials/first-server.md", nightly: true},
	{name: "examples/conformance/README.md", nightly: true, within: "examples/conformance"},
	{name: "examples/minimal/README.md", within: "examples/minimal"},
	{name: "examples/tracker/README.md", nightly: true, within: "examples/tracker"},
}

// beforeSection has what sections of pages about toolgen take for granted.
var beforeSection = map[string]string{"Compare any two servers": otherServers, "Import a server": otherServers}

// documentNames returns the documents that have commands for readers.
func documentNames(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*/*.md", "examples/*/README.md", "bench/*.md"} {
		found, err := filepath.Glob(filepath.Join(checkout, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			name, _ = filepath.Rel(checkout, name)
			names = append(names, filepath.ToSlash(name))
		}
	}
	return names
}

// TestEveryCommand prints what happens to each command of the documents, and finds those that neither run nor have a
// reason, and marks and rules that are of no use.
func TestEveryCommand(t *testing.T) {
	t.Parallel()
	used := make(map[string]bool)
	counts := make(map[string]int)
	var table strings.Builder
	for _, name := range documentNames(t) {
		i := slices.IndexFunc(pages, func(p page) bool { return p.name == name })
		runs := 0
		for _, b := range read(t, name) {
			for _, c := range b.commands() {
				how := "ran"
				switch {
				case c.mark != nil && c.mark.by:
					how = "ran by " + c.mark.why
				case c.mark != nil:
					how = "cannot: " + c.mark.why
				case i < 0:
					t.Errorf("%s:%d: %q neither runs nor has a reason: list the document in pages, or write <!-- not run: … --> before the block", name, b.line, c.text)
				case pages[i].nightly:
					how = "ran by make nightly"
					fallthrough
				default:
					used[ruleOf(c.text).begins] = true
					runs++
				}
				kind, _, _ := strings.Cut(how, ":")
				counts[kind]++
				first, _, _ := strings.Cut(c.text, "\n")
				fmt.Fprintf(&table, "%s, %s, %s\n", name, strings.TrimSpace(first), how)
			}
			for _, m := range b.marks {
				if !m.used {
					t.Errorf("%s:%d: no command of the block begins with %q", name, b.line, m.begins)
				}
			}
		}
		if i >= 0 && runs == 0 {
			t.Errorf("%s has no command that runs: take it from pages", name)
		}
	}
	for _, r := range rules {
		if !used[r.begins] {
			t.Errorf("no document has a command that begins with %q", r.begins)
		}
	}
	t.Logf("%v\n%s", counts, table.String())
}

// TestCommands runs the commands that the documents show, in their order. The sites that they name are a local one.
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, p := range pages {
		t.Run(strings.ReplaceAll(p.name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			if p.nightly {
				proctest.Nightly(t)
			}
			if p.module && testing.Short() {
				t.Skip("builds a module")
			}
			sections := [][]block{read(t, p.name)}
			if p.module {
				sections = slices.Collect(bySection(sections[0]))
			}
			for _, blocks := range sections {
				if !slices.ContainsFunc(blocks, block.runs) {
					continue
				}
				if !p.module {
					follow(t, p, blocks)
					continue
				}
				t.Run(blocks[0].section, func(t *testing.T) { t.Parallel(); follow(t, p, blocks) })
			}
		})
	}
}

// follow does what blocks of a page say.
func follow(t *testing.T, p page, blocks []block) {
	t.Helper()
	r := newReader(t)
	dir, before, compared := t.TempDir(), p.before, []block(nil)
	names := r.localSites(t)
	switch {
	case p.within != "":
		dir = filepath.Join(checkout, p.within)
	case p.module:
		if err := os.CopyFS(dir, os.DirFS(startedModule(t))); err != nil {
			t.Fatal(err)
		}
		before, compared = beforeSection[blocks[0].section], blocks
		names = strings.NewReplacer("https://example.com/mcp", "http://"+r.address+"/mcp",
			"https://a.example/mcp", "http://"+r.address+"/mcp", "https://b.example/mcp", "http://"+r.address+"/mcp")
	case strings.HasPrefix(p.name, "docs/tutorials/"):
		r.env, compared = append(r.env, publishCompiler(t)...), blocks
		names = strings.NewReplacer("127.0.0.1:8080", r.address)
	}
	script := names.Replace(scriptOf(blocks, before))
	run(t, script, dir, r.env, compared)
}

// reader has the environment of somebody who follows a document.
type reader struct {
	address string // where servers listen
	env     []string
}

func newReader(t *testing.T) reader {
	t.Helper()
	bin := programs(t)
	browser, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	r := reader{address: proctest.FreeAddress(t)}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		r.env = append(r.env, name+"="+goEnv(t, name)) // which are below another HOME otherwise
	}
	home, state := t.TempDir(), t.TempDir()
	r.env = append(r.env, "HOME="+home, "XDG_CONFIG_HOME="+home+"/.config", "XDG_RUNTIME_DIR="+t.TempDir(), "XDG_STATE_HOME="+state,
		"CALLSHEET_DAEMON_IDLE=10m", "CALLSHEET_HEADLESS=1", "CALLSHEET_NO_SANDBOX=1", "HTTP="+r.address, "BIN="+bin, "CHECKOUT="+checkout,
		"FIXTURES="+filepath.Join(checkout, "cmd/callsheet/testdata/documents"), "CHROMIUM="+browser, "PATH="+bin+":"+os.Getenv("PATH"))
	r.env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CALLSHEET_CONFIG=") }), r.env...)
	t.Cleanup(func() {
		stop := exec.Command(filepath.Join(bin, "callsheet"), "daemon", "stop")
		stop.Env = r.env
		out, err := stop.CombinedOutput()
		if log, e := os.ReadFile(filepath.Join(state, "callsheet", "daemon.log")); t.Failed() && e == nil {
			t.Logf("stop: %s %v; the daemon's log:\n%s", out, err, log)
		}
	})
	return r
}

// localSites returns what replaces the sites, servers and ids of documents about callsheet.
func (r reader) localSites(t *testing.T) *strings.Replacer {
	t.Helper()
	site := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(checkout, "cmd/callsheet/testdata/documents/site"))))
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	_, port, _ := strings.Cut(r.address, ":")
	return strings.NewReplacer("jobs show ID", `jobs show "$(job)"`, "jobs cancel ID", `jobs cancel "$(job)"`,
		"https://shop.example", site.URL, "https://example.com", site.URL, " example.com", " "+strings.TrimPrefix(site.URL, "http://"),
		"127.0.0.1:9876", r.address, "--http 9876", "--http "+port, "rec-20260101-120000-abcdefghijklm", "$(recording)")
}
