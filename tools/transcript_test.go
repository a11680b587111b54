package tools_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the transcript into docs/reference/lists.md")

// listed is a list: its names, and its bytes.
type listed struct {
	names []string
	bytes int
}

// transcript has the changes of a client's list on a walk, one line for each call.
type transcript struct {
	lines []string
	names []string // of the list before
}

// add notes a call, how many notifications came, and the list after it.
func (s *transcript) add(call string, news int, list listed) {
	line := fmt.Sprintf("%-32s %d list_changed, %2d tools, %6d bytes", call, news, len(list.names), list.bytes)
	for _, change := range []struct {
		sign     string
		in, from []string
	}{{"+", list.names, s.names}, {"-", s.names, list.names}} {
		var moved []string
		for _, name := range change.in {
			if s.names != nil && !slices.Contains(change.from, name) {
				moved = append(moved, name)
			}
		}
		if len(moved) > 0 {
			line += wrapNames("\n  "+change.sign, moved)
		}
	}
	s.lines, s.names = append(s.lines, line), list.names
}

// wrapNames appends names to a line, and breaks it where it would exceed the width of a document.
func wrapNames(begin string, names []string) string {
	const width = 110
	var out strings.Builder
	line := begin
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if len(line)+1+len(name) > width {
			out.WriteString(line)
			line = "\n   "
		}
		line += " " + name
	}
	return out.String() + line
}

// compare holds the transcript against the first fenced block of a document under a heading.
func (s *transcript) compare(t *testing.T, path, heading string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const fence = "```"
	head, body, _ := strings.Cut(string(data), "\n"+heading+"\n")
	before, rest, _ := strings.Cut(body, fence+"text\n")
	before = head + "\n" + heading + "\n" + before
	block, after, found := strings.Cut(rest, fence)
	if !found {
		t.Fatalf("%s has no block of text under %q", path, heading)
	}
	got := strings.Join(s.lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(before+fence+"text\n"+got+fence+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(block, got); diff != "" {
		t.Errorf("the transcript of %s is another one (-document +run); go test ./tools -run %s -update writes it:\n%s", path, t.Name(), diff)
	}
}
