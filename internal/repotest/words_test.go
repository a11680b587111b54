package repotest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// retiredWords are words of a private language that this project once had, each with the field's
// word for it. They stand neither in identifiers nor in comments; docs/reference/glossary.md lists the
// field's words.
var retiredWords = map[string]string{
	"accused": "closed shadow-host candidate", "blockade": "tab block", "cloakroom": "deferred response body",
	"coat": "deferred response body", "crew": "parallel run", "deaf": "input not delivered", "eldest": "opener",
	"farewell": "session end", "greet": "handle", "heir": "opener", "hire": "create", "hired": "created", "hoarding": "buffering",
	"implant": "inject", "innocent": "rejected candidate", "keeper": "store", "keepers": "stores", "kin": "opener tree",
	"mourn": "browser exit", "nominate": "collect candidates", "nominee": "candidate", "owed": "unreleased", "poke": "notify",
	"repay": "release", "scout": "dialog watcher", "sighting": "match", "stirred": "next event", "switchboard": "registry",
	"testify": "query the state of an element", "undertaking": "pending operation",
}

// retiredPhrases are turns of phrase that hide who does what. "X is what …" is one of them: a comment names X by a
// noun.
var retiredPhrases = regexp.MustCompile(`(?i)\b(nobody|of ours|by itself|by themselves|(is|are) told|(is|are) what|what is there)\b`)

// TestRetiredWordsStayOut reads the identifiers and comments of every Go file, tests among them, and the
// lines of the scripts that run in pages. TestDocuments reads the documents.
func TestRetiredWordsStayOut(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if strings.HasPrefix(p.ImportPath, Module+"/generated") {
			continue
		}
		sources, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		for _, file := range sources {
			if filepath.Base(file) != "words_test.go" {
				checkWords(t, file)
			}
		}
		for _, file := range scripts(t, p.Dir) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				checkProse(t, file, i+1, line)
			}
		}
	}
}

// scripts returns the scripts of a package: those in its directory and in directories that are no
// packages, but for what its tests read.
func scripts(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() {
			if sources, _ := filepath.Glob(filepath.Join(path, "*.go")); path != dir && (len(sources) > 0 || name == "testdata" || name[0] == '.') {
				return filepath.SkipDir
			}
		} else if strings.HasSuffix(name, ".js") || strings.HasSuffix(name, ".d.ts") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func checkWords(t *testing.T, file string) {
	t.Helper()
	parsed, fset := parse(t, file)
	ast.Inspect(parsed, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			reportWords(t, fset.Position(id.Pos()), id.Name)
		}
		return true
	})
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			reportWords(t, fset.Position(comment.Pos()), comment.Text)
		}
		text := strings.Join(strings.Fields(group.Text()), " ") // a phrase may go over the end of a line
		if phrase := retiredPhrases.FindString(text); phrase != "" {
			t.Errorf("%s: %q hides who does what; name it", fset.Position(group.Pos()), phrase)
		}
	}
}

// firstTool is the name of the tool that toolgen init makes, which documents use.
var firstTool = regexp.MustCompile(`(?i)\b(tool)?greet(lang\w*)?\b`)

// checkProse reports the retired words and phrases of a line of a document or a script.
func checkProse(t *testing.T, document string, number int, line string) {
	t.Helper()
	at := token.Position{Filename: document, Line: number}
	reportWords(t, at, firstTool.ReplaceAllString(line, ""))
	if phrase := retiredPhrases.FindString(line); phrase != "" {
		t.Errorf("%s: %q hides who does what; name it", at, phrase)
	}
}

// reportWords reports each retired word of a text, once.
func reportWords(t *testing.T, at token.Position, text string) {
	t.Helper()
	seen := map[string]bool{}
	for _, word := range splitWords(text) {
		if better, ok := retiredWords[word]; ok && !seen[word] {
			t.Errorf("%s: %q is no word of the field; say %s", at, word, better)
			seen[word] = true
		}
	}
}

// splitCommandLine returns the words of prose and of identifiers in camel or snake case, in lower
// case.
func splitWords(text string) []string {
	var b strings.Builder
	previous := ' '
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		previous = r
	}
	return strings.Fields(b.String())
}
