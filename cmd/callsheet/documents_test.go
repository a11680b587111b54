//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/proctest"
)

// commandRule is how the lines of documents with a beginning are run: not at all, until they say something, or with
// more commands after them.
type commandRule struct {
	begins string
	not    string // why a line is not run
	until  string // a regular expression: the program is ended when its output matches
	code   int
	then   string // shell commands that do what the document leaves to its reader
}

// commandRules has the lines that are not simply run; the first that fits counts.
var commandRules = []commandRule{
	{begins: "make ", not: "builds and tests the checkout, as CI does"},
	{begins: "claude mcp ", not: "needs Claude Code"},
	{begins: "npm ", not: "needs a published package"},
	{begins: "npx playwright ", not: "opens the window of another program"},
	{begins: "sudo apt ", not: "installs a package; scripts/verify/packages does"},
	{begins: "systemctl ", not: "needs a running systemd; scripts/verify/packages checks the unit"},
	{begins: "docker ", not: "needs Docker"},
	{begins: "CALLSHEET_VERSION=", not: "needs Docker"},
	{begins: "gh release ", not: "publishes"},
	{begins: "for package in ", not: "publishes"},
	{begins: "(cd dist/metadata ", not: "publishes"},
	{begins: "callsheet attach --extension", not: "a person connects the extension"},
	{begins: "export CALLSHEET_DATABASE_URL=", not: "needs Postgres; the tests of jobs run on one by night"},
	{begins: "callsheet serve --http 9876           # begins crawls", not: "needs Postgres"},
	{begins: "callsheet jobs work --slots 16", not: "needs Postgres and three machines"},
	{begins: "callsheet record --attach ", not: "needs the window of a person's browser; TestRecordAttached has one"},
	{begins: "callsheet record https://shop.example --out first.json", not: "a person acts in the window; the fixtures are two recordings"},
	{begins: "callsheet record https://shop.example --out second.json", not: "a person acts in the window"},
	{begins: "callsheet daemon start --webmcp", then: "callsheet navigate https://shop.example/webmcp.html"},
	{begins: "callsheet token revoke ", then: `rm "$HOME/.config/callsheet/callsheet.yaml"`}, // config init writes no other file than a new one
	{begins: "callsheet webmcp call ", code: 1},                                              // it asks on a terminal, and this is none
	{begins: "callsheet site new shop", then: `cp "$FIXTURES"/shop/* .`},
	{begins: "callsheet site record ", then: "rm -r shop && callsheet site new shop"}, // the list of the first one is frozen
	{begins: "callsheet site check ", not: "the site of the first files does not exist; the tests of callsheet-site have one"},
	{begins: "callsheet record ", until: `recording rec-\S+;`},
	{begins: "callsheet ui", until: `http://\S+`},
	{begins: "callsheet jobs work ", until: "works? |working"},
	{begins: "callsheet serve --profile ", not: "needs a profile of that name in the reader's file"},
}

// documentedIn is a document whose commands are run.
type documentedIn struct {
	name     string
	nightly  bool     // it is slow, or seldom breaks
	programs []string // packages of programs that are built for it
	before   string   // shell commands that make what the document takes for granted
}

// serverBefore serves at the address of the documents until the script ends.
const serverBefore = `callsheet --http 127.0.0.1:9876 2>server.log & server=$!; trap 'kill $server; wait $server || true' EXIT
says serving server.log`

var documentedCommands = []documentedIn{
	{name: "README.md"},
	{name: "CONTRIBUTING.md"},
	{name: "docs/how-to/attach.md", nightly: true, before: `mkdir -p "$HOME/.config"
"$CHROMIUM" --headless --no-sandbox --remote-debugging-port=0 --user-data-dir="$HOME/.config/chromium" about:blank 2>browser.log &
browser=$!; trap 'kill $browser; wait $browser || true' EXIT
says listening browser.log`},
	{name: "docs/how-to/crawl.md", nightly: true},
	{name: "docs/how-to/install.md"},
	{name: "docs/how-to/operate.md"},
	{name: "docs/how-to/record.md", nightly: true, before: `(umask 077 && echo PW=correct-horse >.env)
callsheet recording-start && callsheet navigate https://shop.example && callsheet fill Password correct-horse && callsheet recording-stop
callsheet recording-export --out recording.json`},
	{name: "docs/how-to/sessions.md", nightly: true},
	{name: "docs/how-to/sites.md", nightly: true, programs: []string{"./cmd/callsheet-site"}},
	{name: "docs/how-to/watch.md", before: serverBefore},
	{name: "docs/how-to/webmcp.md", nightly: true},
	{name: "docs/how-to/workflows.md"},
	{name: "docs/internals/releasing.md"},
	{name: "docs/reference/command-line.md", before: serverBefore + "\ncallsheet navigate https://shop.example"},
}

// otherDocuments have commands that other tests run, or none that can be run here.
var otherDocuments = map[string]string{
	"docs/how-to/toolgen-releases.md":    "works in the server of the tutorial, whose commands TestTutorial runs",
	"docs/how-to/toolgen-server.md":      "works in the server of the tutorial",
	"docs/how-to/toolgen-upstream.md":    "imports servers of other people; the scripts of gen/cmd/toolgen run toolgen import",
	"docs/tutorials/first-server.md":     "TestTutorial runs it",
	"docs/internals/measurements.md":     "measures for an hour",
	"docs/reference/toolgen-protocol.md": "make conformance is a part of nightly",
}

// TestCommandsOfDocuments runs the commands that the documents show, in their order, as a reader does who copies them
// into an empty directory: the sites that they name are a local one.
func TestCommandsOfDocuments(t *testing.T) {
	t.Parallel()
	used := make(map[string]bool)
	for _, d := range documentedCommands {
		script := scriptOf(t, d, used)
		t.Run(strings.ReplaceAll(d.name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			if d.nightly {
				proctest.Nightly(t)
			}
			followDocument(t, script, d.programs)
		})
	}
	for _, r := range commandRules {
		if !used[r.begins] {
			t.Errorf("no document has a command that begins with %q", r.begins)
		}
	}
}

// TestEveryDocumentIsFollowed finds documents with commands that no table has.
func TestEveryDocumentIsFollowed(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"*.md", "docs/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			rel, _ := filepath.Rel(repository, name)
			known := otherDocuments[rel] != "" || slices.ContainsFunc(documentedCommands, func(d documentedIn) bool { return d.name == rel })
			if has := len(documentLines(t, rel)) > 0; has != known && !strings.HasPrefix(rel, "docs/adr/") {
				t.Errorf("%s has commands: %v; a table has it: %v", rel, has, known)
			}
		}
	}
}

// repository is the root of the checkout.
const repository = "../.."

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// documentLines returns the commands of a document, each with its continuation lines.
func documentLines(t *testing.T, name string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		line := ""
		for next := range strings.Lines(m[1]) {
			line += next
			if strings.HasSuffix(next, "\\\n") || openQuote(line) || strings.HasPrefix(line, "for ") && !strings.Contains(line, "done") {
				continue
			}
			if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
				lines = append(lines, line)
			}
			line = ""
		}
	}
	return lines
}

// openQuote reports whether a quoted text of a line goes on in the next one.
func openQuote(line string) bool {
	line, _, _ = cutComment(line)
	return strings.Count(line, "'")%2 == 1
}

// scriptHead has what the lines of a script use: says waits for a text in a file, run checks an exit code, until ends
// a program that has said something. Ids in documents are those that the commands before have printed.
const scriptHead = "unset " + options.FileVariable + `
set -uo pipefail
fail() { echo "FAILED: $*"; exit 1; }
says() { for _ in $(seq 400); do grep -qE "$1" "$2" && return; read -rt 0.1 <> <(:) || true; done; fail "no $1 in $(cat "$2")"; }
check() { [ "$1" = "$2" ] || fail "exit code $1, want $2"; }
until_says() {
  bash -c "exec $2" >said.log 2>&1 & local pid=$!
  says "$1" said.log; cat said.log; kill -INT $pid; wait $pid; check $? 0
}
recording() { grep -o 'rec-[0-9]*-[0-9]*-[a-z0-9]*' transcript | tail -1; }
job() { callsheet jobs list | awk 'NR == 1 { print $1 }'; }
exec > >(tee transcript) 2>&1
`

// scriptOf returns a bash script that runs the commands of a document. It notes the rules that it has used.
func scriptOf(t *testing.T, d documentedIn, used map[string]bool) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(scriptHead + d.before + "\n")
	for _, line := range documentLines(t, d.name) {
		rule := commandRule{}
		if i := slices.IndexFunc(commandRules, func(r commandRule) bool { return strings.HasPrefix(line, r.begins) }); i >= 0 {
			rule = commandRules[i]
			used[rule.begins] = true
		}
		line, _, _ := cutComment(line)
		quoted := "'" + strings.ReplaceAll(line, "'", `'\''`) + "'"
		switch {
		case rule.not != "":
			fmt.Fprintf(&b, "echo '# not run:' %s\n", quoted)
		case rule.until != "":
			fmt.Fprintf(&b, "echo '+' %s\nuntil_says '%s' %s\n", quoted, rule.until, quoted)
		default:
			fmt.Fprintf(&b, "echo '+' %s\n%s\ncheck $? %d\n%s\n", quoted, line, rule.code, rule.then)
		}
	}
	return b.String()
}

// cutComment returns a line up to its comment.
func cutComment(line string) (before, comment string, found bool) {
	before, comment, found = strings.Cut(line, " # ")
	return strings.TrimRight(before, " "), comment, found
}

// followDocument runs a script in an empty directory, with a local site for each that documents name.
func followDocument(t *testing.T, script string, programs []string) {
	t.Helper()
	s := newShell(t)
	site := httptest.NewServer(http.FileServer(http.Dir("testdata/documents/site")))
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	host := strings.TrimPrefix(site.URL, "http://")
	server := proctest.FreeAddress(t)
	_, port, _ := strings.Cut(server, ":")
	bin := t.TempDir()
	if err := os.Symlink(s.command().Path, filepath.Join(bin, "callsheet")); err != nil {
		t.Fatal(err)
	}
	browser, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	script = strings.NewReplacer("jobs show ID", `jobs show "$(job)"`, "jobs cancel ID", `jobs cancel "$(job)"`,
		"https://shop.example", site.URL, "https://example.com", site.URL, " example.com", " "+host,
		"127.0.0.1:9876", server, "--http 9876", "--http "+port, "rec-20260101-120000-abcdefghijklm", "$(recording)").Replace(script)
	cmd := s.command()
	for _, name := range programs {
		build := exec.CommandContext(t.Context(), "go", "build", "-o", bin+"/", name)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", "-c", script)
	bash.WaitDelay = time.Second // a program that it has started may hold its output
	bash.Dir, bash.Env = s.dir, append(cmd.Env, "HOME="+home, "CALLSHEET_HEADLESS=1",
		"FIXTURES="+filepath.Join(root, "cmd/callsheet/testdata/documents"), "CHROMIUM="+browser, "PATH="+bin+":"+os.Getenv("PATH"))
	bash.Stdin = strings.NewReader("")
	if out, err := bash.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
