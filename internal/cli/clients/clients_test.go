package clients_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/callsheet/callsheet/internal/cli/clients"
)

var update = flag.Bool("update", false, "write the golden files")

var entry = clients.Entry{Command: "npx", Args: []string{"-y", "callsheet@1.2.3"}}

// client returns the client of a name.
func client(t *testing.T, name string) clients.Client {
	t.Helper()
	all := clients.All()
	i := slices.IndexFunc(all, func(c clients.Client) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no client %s", name)
	}
	return all[i]
}

// TestSetAndRemove holds files against golden ones: each archive has the file before, after Set, and after
// Remove. Its name begins with that of a client.
func TestSetAndRemove(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 12 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	seen := map[string]bool{}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".txtar"), "_")
		seen[name] = true
		c := client(t, name)
		before := archive.Files[0].Data
		set, err := c.Set(before, "callsheet", entry)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if again, err := c.Set(set, "callsheet", entry); err != nil || string(again) != string(set) {
			t.Errorf("%s: setting it twice makes\n%s%v", path, again, err)
		}
		removed, err := c.Remove(set, "callsheet")
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if again, err := c.Remove(removed, "callsheet"); err != nil || string(again) != string(removed) {
			t.Errorf("%s: removing it twice makes\n%s%v", path, again, err)
		}
		got := &txtar.Archive{Comment: archive.Comment, Files: []txtar.File{{Name: "before", Data: before}, {Name: "set", Data: set}, {Name: "removed", Data: removed}}}
		if *update {
			if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want := txtar.Format(archive); string(txtar.Format(got)) != string(want) {
			t.Errorf("%s is\n%s", path, txtar.Format(got))
		}
	}
	for _, c := range clients.All() {
		if !seen[c.Name] {
			t.Errorf("no archive of %s", c.Name)
		}
	}
}

func TestNewFiles(t *testing.T) {
	t.Parallel()
	for _, c := range clients.All() {
		text, err := c.Set(nil, "callsheet", entry)
		if err != nil || !strings.Contains(string(text), "callsheet@1.2.3") || !strings.HasSuffix(string(text), "\n") {
			t.Errorf("%s: %q %v", c.Name, text, err)
		}
		if empty, err := c.Remove(nil, "callsheet"); err != nil || len(empty) > 0 {
			t.Errorf("%s: %q %v", c.Name, empty, err)
		}
	}
}

// TestLineEndsAndMarksStay sets and removes in files of Windows.
func TestLineEndsAndMarksStay(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"cursor": "\xef\xbb\xbf{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\": \"a\"}\r\n\t}\r\n}\r\n",
		"codex":  "model = \"x\"\r\n\r\n[mcp_servers.a]\r\ncommand = \"a\"\r\n",
	} {
		c := client(t, name)
		set, err := c.Set([]byte(before), "callsheet", entry)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ReplaceAll(string(set), "\r\n", ""), "\n") {
			t.Errorf("%s mixes line ends: %q", name, set)
		}
		if got, err := c.Remove(set, "callsheet"); err != nil || string(got) != before {
			t.Errorf("%s: %q %v, want %q", name, got, err, before)
		}
	}
}

func TestMalformedFilesAreNamedWithPosition(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		client, text string
		line, column int
	}{
		{"cursor", "{\n  \"mcpServers\": {\n    \"a\": }\n}", 3, 10},
		{"cursor", "[]", 1, 1},
		{"zed", "// settings\n{\"context_servers\": 3}", 2, 21},
		{"vscode", "{\"servers\": {}", 1, 15},
		{"codex", "model = \"x\"\n[mcp_servers.a\n", 2, 15},
		{"codex", "mcp_servers = 3\n", 1, 1},
		{"codex", "mcp_servers = {a = {command = \"a\"}}\n", 1, 1},
	} {
		_, err := client(t, test.client).Set([]byte(test.text), "callsheet", entry)
		var at *clients.SyntaxError
		if !errors.As(err, &at) || at.Line != test.line || at.Column != test.column {
			t.Errorf("%s %q: %v, want %d:%d", test.client, test.text, err, test.line, test.column)
		}
	}
}

// Whatever a file says: an error, or a file in which the entry is set, and from which it can be removed.
func FuzzSet(f *testing.F) {
	for _, text := range []string{`{"mcpServers":{"callsheet":{}, /* x */}}`, "{//\n}", `{"mcpServers":{"a":1,"callsheet":2}}`, "[mcp_servers.callsheet]\nx=1\n#c\n[b]\n", "a=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range clients.All() {
			set, err := c.Set([]byte(text), "callsheet", entry)
			if err != nil {
				continue
			}
			if again, err := c.Set(set, "callsheet", entry); err != nil || string(again) != string(set) {
				t.Errorf("%s of %q: %q, then %q %v", c.Name, text, set, again, err)
			}
			if _, err := c.Remove(set, "callsheet"); err != nil {
				t.Errorf("%s of %q: %q: %v", c.Name, text, set, err)
			}
		}
	})
}
