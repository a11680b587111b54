package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/diag"
)

func env(pairs ...string) Lookup {
	return func(name string) (string, bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func read(t *testing.T, text string) ([]*Server, string) {
	t.Helper()
	list, diags := Parse("servers.json", "/etc/lab", []byte(text))
	var b strings.Builder
	if err := diags.Fprint(&b, diag.Text, nil); err != nil {
		t.Fatal(err)
	}
	return list, b.String()
}

func TestParse(t *testing.T) {
	t.Parallel()
	list, problems := read(t, `{
  // the editor's schema
  "$schema": "https://example.com/s.json",
  "mcpServers": {
    "browser": {"command": "npx", "args": ["-y", "chrome-devtools-mcp@latest"], "cwd": "${ROOT:-sub}", "env": {"A": "x${A}y"}, "timeoutMs": 1500,},
    " wiki ": {"type": "http", "url": "https://wiki.example/mcp?k=${env:KEY}", "bearer_token_env": "TOKEN", "headers": {"X": "\\${plain}"}}, /* trailing */
    "line": {"command": "node 'my server.js' --flag", "lifecycle": "ephemeral", "allowed_tools": ["a"]},
    "list": {"executable": ["deno", "run"], "disabled": true}
  },
}`)
	if problems != "" {
		t.Fatal(problems)
	}
	r, err := list[0].Resolve(env("A", "1"))
	want := Resolved{Command: []string{"npx", "-y", "chrome-devtools-mcp@latest"}, Cwd: "/etc/lab/sub",
		Env: map[string]string{"A": "x1y"}, Headers: map[string]string{}, Secrets: []string{"x1y", "", "1"}}
	if diff := cmp.Diff(want, r); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if s := list[0]; s.Timeout != 1500*time.Millisecond || !s.Stateful || s.Transport != Stdio ||
		s.Pos.String() != "servers.json:5:5" {
		t.Errorf("%+v", s)
	}
	r, err = list[1].Resolve(env("KEY", "k", "TOKEN", "t"))
	if err != nil || list[1].Alias != "wiki" || r.URL != "https://wiki.example/mcp?k=k" ||
		r.Headers["Authorization"] != "Bearer t" || r.Headers["X"] != "${plain}" {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = list[1].Resolve(env())
	if err == nil || !strings.Contains(err.Error(), "servers.json:6:5: variables KEY, TOKEN not set") {
		t.Errorf("all missing variables at once: %v", err)
	}
	if r, err = list[2].Resolve(env()); err != nil ||
		cmp.Diff([]string{"node", "my server.js", "--flag"}, r.Command) != "" || list[2].Idle == 0 ||
		list[2].Allows("b") {
		t.Errorf("%+v, %v", r, err)
	}
	if list[0].Hash() == list[2].Hash() || !list[3].Disabled {
		t.Error("hashes")
	}
}

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	list, problems := read(t, `{"servers": {
  "a:b": {"command": "x"},
  "one": {"comand": "x"},
  "two": {"command": "x", "url": "http://y"},
  "three": {"type": "stdoi", "command": "x"},
  "four": {"command": "x", "args": [1, "${A:b}", "${A"], "timeoutMs": 0},
  "five": {"command": "x", "package": "y"},
  "five": {"command": "x"},
  "six": {"url": "ftp://x", "protocolVersion": "modern"},
  "seven": 7
}, "severs": {}}`)
	want := `servers.json:2:3: alias "a:b" is empty or has a colon or a line break; steps write alias:tool [servers-alias]
servers.json:3:10: a server needs a command or a url [servers-transport]
servers.json:3:11: unknown key "comand"; did you mean "command"? [servers-unknown-key]
servers.json:4:34: a server has a command or a url, not both [servers-transport]
servers.json:5:21: "stdoi" is not one of stdio, http, streamable-http, sse; did you mean "stdio"? [servers-value]
servers.json:6:37: expected a string, got a number [servers-shape]
servers.json:6:40: "${A:b}" is not a variable; write ${NAME}, ${NAME:-default} or ${env:NAME}, and \${ for a plain ${ [servers-variable]
servers.json:6:50: "${A" is not closed [servers-variable]
servers.json:6:71: expected a positive whole number [servers-value]
servers.json:7:28: warning: "package" has no effect here [servers-ignored-key]
servers.json:8:3: alias "five" is declared twice [servers-duplicate]
  servers.json:7:3: first here
servers.json:9:18: url "ftp://x" must start with http:// or https:// [servers-value]
servers.json:9:48: "modern" is not one of auto, legacy, 2026-07-28 [servers-value]
servers.json:10:12: a server must be an object, not a number [servers-shape]
servers.json:11:4: unknown key "severs"; did you mean "servers"? [servers-unknown-key]
`
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, s := range list {
		if (s.Err() == nil) != (s.Alias == "five") {
			t.Errorf("%s: %v", s.Alias, s.Err())
		}
	}
	for text, want := range map[string]string{
		`{"servers": {"a": {"command": "x"} "b": 1}}`: "servers.json:1:36: ",
		"{\n  \"servers\": {\n":                       "servers.json:3:1: the file ends early",
		`[]`:                                          "must be an object",
		`{}`:                                          "neither",
		`{"servers": {}} x`:                           "servers.json:1:17: ",
		"\xff":                                        "not UTF-8",
	} {
		if _, got := read(t, text); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestExpand holds every form against an environment with A=1, E empty and U unset (regression 10).
func TestExpand(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"${A}": "1", "x${A}y${A}": "x1y1", "${env:A}": "1", "$env:A": "1", "$env:A ": "$env:A ",
		"${A:-d}": "1", "${U:-d}": "d", "${E:-d}": "d", "${E-d}": "", "${U-d}": "d", "${U:-}": "", "${U:-${A}}": "1",
		"${U:-${U:-x}y}": "xy",
		`\${A}`:          "${A}", "$A": "$A", "$": "$", "{A}": "{A}", "${U:-http://h:1/}": "http://h:1/",
		"${env:U:-d}": "d",
		"":            "",
	} {
		got, err := Text{Raw: raw}.expand(env("A", "1", "E", ""), nil)
		if err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{"${}", "${1A}", "${A", "${A:b}", "${A B}", "${input:key}", "${U:-${}", "${U:-" +
		strings.Repeat("${U:-", 20) + strings.Repeat("}", 21)} {
		if err := (Text{Raw: raw}).check(); err == nil {
			t.Errorf("%q is taken", raw)
		}
	}
}

// TestEnvironment is regression 8: .env.local beats .env, the mode's files beat both, and the
// process beats all.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".env":            "A=env\nB=env\nC=env\nD=env\nE=env\n",
		".env.local":      "B=local\nC=local\nD=local\nE=local",
		".env.test":       "export C='test'\nD=test\nE=test\r\n",
		".env.test.local": "# comment\n\nD = \"a\\nb\" # c\nE=x # not this\nF=\"m\nn\"\nG=\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lookup, err := Environment(dir, env("NODE_ENV", "test", "E", "process"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"A": "env", "B": "local", "C": "test", "D": "a\nb", "E": "process",
		"F": "m\nn", "G": ""} {
		if got, ok := lookup(name); !ok || got != want {
			t.Errorf("%s is %q, %v; want %q", name, got, ok, want)
		}
	}
	if lookup, err = Environment(dir, env()); err != nil {
		t.Fatal(err)
	}
	if got, _ := lookup("D"); got != "local" {
		t.Errorf("without a mode D is %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("A=1\nsecret stuff\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Environment(dir, env()); err == nil || strings.Contains(err.Error(), "stuff") ||
		!strings.Contains(err.Error(), "no dotenv file") {
		t.Errorf("a broken line: %v", err)
	}
}

// TestLiteralsStay: text without a variable comes through as it is.
func TestLiteralsStay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.StringMatching(`[a-z$ {}:\-]*`).Draw(t, "raw")
		if strings.Contains(raw, "${") || strings.HasPrefix(raw, "$env:") {
			t.Skip("a variable")
		}
		if got, err := (Text{Raw: raw}).expand(env(), nil); err != nil || got != raw {
			t.Fatalf("%q became %q, %v", raw, got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"servers": {"a": {"command": "x y", "args": ["${A:-b}"], "env": {"K": "v"}, "lifecycle": {"mode": "ephemeral", "idleTimeoutMs": 5}}}, }`))
	f.Add([]byte("{\"mcpServers\": { // c\n \"b\": {\"url\": \"https://x\", \"headers\": {\"A\": \"$env:B\"}, /* d */},}}"))
	f.Add([]byte("\ufeff{\"servers\":[1,]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, diags := Parse("f", "/d", data)
		lines := strings.Count(string(data), "\n") + 1
		for _, d := range diags {
			if d.Pos.Line > lines || d.Pos.File != "f" || d.Message == "" {
				t.Errorf("%+v", d)
			}
		}
		for _, s := range list {
			if s.Err() != nil {
				continue
			}
			if _, err := s.Resolve(func(string) (string, bool) { return "v", true }); err != nil {
				t.Errorf("%s is right and cannot be resolved: %v", s.Alias, err)
			}
			if (len(s.Command) == 0) == (s.Transport == Stdio) || s.Hash() == "" {
				t.Errorf("%+v", s)
			}
		}
	})
}

func FuzzExpand(f *testing.F) {
	f.Add("x${A:-${B}}\\${C}", "v")
	f.Add("$env:A", "")
	f.Fuzz(func(t *testing.T, raw, value string) {
		set := func(string) (string, bool) { return value, true }
		a, err := Text{Raw: raw}.expand(set, nil)
		if b, again := (Text{Raw: raw}).expand(set, nil); a != b || (err == nil) != (again == nil) {
			t.Errorf("%q expands to %q and %q", raw, a, b)
		}
		if err == nil && !strings.Contains(raw, "$") && a != raw {
			t.Errorf("%q became %q", raw, a)
		}
	})
}
