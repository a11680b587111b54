//go:build unix

package documents

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced block of a document.
type block struct {
	document, section string // section is the heading of the second level
	line              int
	language, word    string // of the fence: sh fails, yaml manifest/tools.yaml
	text              string
	marks             []*mark
}

// mark is a comment before a block, which readers do not see: it says why a command is not run, or what runs it.
//
//	<!-- not run: needs Docker -->
//	<!-- not run `callsheet attach --extension`: a person connects it -->
//	<!-- run `make test` by .ci/run -->
type mark struct {
	by     bool   // the command runs elsewhere, at why
	begins string // of the commands; "" is the whole block
	why    string
	used   bool
}

var (
	fence   = regexp.MustCompile("(?ms)((?:^<!-- (?:not run|run)[^\n]* -->\n)*)^```([a-z]+) ?([^\n]*)\n(.*?)^```$|^## ([^\n]+)$")
	comment = regexp.MustCompile("^<!-- (not run|run)(?: `([^`]+)`)?(?:: | by )(.+) -->$")
	// shellFence matches the beginning of every block of commands, such as one that fence does not read.
	shellFence = regexp.MustCompile("(?m)^[ \t>]*(?:```|~~~) *(?:sh|bash|shell|console)\\b")
)

// read returns the blocks of a document.
func read(t *testing.T, document string) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout, document))
	if err != nil {
		t.Fatal(err)
	}
	section, shells := "", 0
	for _, at := range fence.FindAllSubmatchIndex(text, -1) {
		if at[10] >= 0 {
			section = string(text[at[10]:at[11]])
			continue
		}
		b := block{
			document: document, section: section, line: 1 + strings.Count(string(text[:at[4]]), "\n"),
			language: string(text[at[4]:at[5]]), word: string(text[at[6]:at[7]]), text: string(text[at[8]:at[9]]),
		}
		for line := range strings.Lines(string(text[at[2]:at[3]])) {
			m := comment.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				t.Fatalf("%s:%d: %s is no mark", document, b.line, line)
			}
			b.marks = append(b.marks, &mark{by: m[1] == "run", begins: m[2], why: m[3]})
		}
		if b.language == "sh" {
			shells++
		}
		blocks = append(blocks, b)
	}
	if all := len(shellFence.FindAll(text, -1)); all != shells {
		t.Errorf("%s has %d blocks of commands, of which %d are at the left and begin with ```sh", document, all, shells)
	}
	return blocks
}

// command is a command of a block, with its continuation lines.
type command struct {
	text string
	mark *mark // nil: it runs
}

// commands returns the commands of a block; of one that is no sh block, none.
func (b *block) commands() (all []command) {
	if b.language != "sh" {
		return nil
	}
	line := ""
	for next := range strings.Lines(b.text) {
		line += next
		if strings.HasSuffix(next, "\\\n") || openQuote(line) || strings.HasPrefix(line, "for ") && !strings.Contains(line, "done") {
			continue
		}
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			all = append(all, command{line, b.markOf(line)})
		}
		line = ""
	}
	return all
}

// markOf returns the mark that fits a command, or nil.
func (b *block) markOf(line string) *mark {
	for _, m := range b.marks {
		if strings.HasPrefix(line, m.begins) {
			m.used = true
			return m
		}
	}
	return nil
}

// openQuote reports whether a quoted text of a line goes on in the next one.
func openQuote(line string) bool {
	line, _, _ = cutComment(line)
	return strings.Count(line, "'")%2 == 1
}

// cutComment returns a line up to its comment.
func cutComment(line string) (before, comment string, found bool) {
	before, comment, found = strings.Cut(line, " # ")
	return strings.TrimRight(before, " "), comment, found
}

// matches reports whether the lines of pattern, in which … stands for any text, are in the text one after the other.
func matches(pattern, text string) bool {
	parts := strings.Split(regexp.QuoteMeta(strings.TrimSpace(pattern)), "…")
	return regexp.MustCompile("(?s)" + strings.Join(parts, ".*?")).MatchString(text)
}
