package textdiff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("line ", i+1)
	}
	return out
}

func TestUnified(t *testing.T) {
	old := numbered(20)
	changed := numbered(20)
	changed[2] = "line three"
	changed = append(changed[:15], changed[16:]...)
	want := `@@ -1,5 +1,5 @@
 line 1
 line 2
-line 3
+line three
 line 4
 line 5
@@ -14,5 +14,4 @@
 line 14
 line 15
-line 16
 line 17
 line 18`
	if got := Unified(strings.Join(old, "\n")+"\n", strings.Join(changed, "\n")+"\n"); got != want {
		t.Errorf("got:\n%s", got)
	}
	if got := Unified("a\n", "a\n"); got != "" {
		t.Errorf("equal texts: %q", got)
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x", 300)
	got := Excerpt(long+"a"+long+"\n", long+"b"+long+"\n", 10, 40)
	want := "@@ -1,1 +1,1 @@\n-…xxxxxxxxxxa" + strings.Repeat("x", 29) + "…\n+…xxxxxxxxxxb" + strings.Repeat("x", 29) + "…"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	got = Excerpt("", strings.Join(numbered(30), "\n"), 4, 40)
	want = "@@ -0,0 +1,30 @@\n+line 1\n+line 2\n+line 3\n… and 27 more lines"
	if got != want {
		t.Errorf("got:\n%s", got)
	}
}

// Whatever the texts are, the lines of a diff without '+' stand in the old text, and those without '-' in the new one.
func TestUnifiedIsOfBothTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 0, 12)
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		ended := func(lines []string) string { return strings.Join(append(lines, ""), "\n") }
		diff := Unified(ended(old), ended(new))
		if (diff == "") != slices.Equal(old, new) {
			t.Fatalf("%q and %q differ by %q", old, new, diff)
		}
		for i, hunk := range strings.Split("\n"+diff, "\n@@ ")[1:] {
			head, body, _ := strings.Cut(hunk, " @@\n")
			var from, was, to, now int
			if _, err := fmt.Sscanf(head, "-%d,%d +%d,%d", &from, &was, &to, &now); err != nil {
				t.Fatalf("hunk %d: %v", i, err)
			}
			var olds, news []string
			for line := range strings.SplitSeq(body, "\n") {
				if line[0] != '+' {
					olds = append(olds, line[1:])
				}
				if line[0] != '-' {
					news = append(news, line[1:])
				}
			}
			if !slices.Equal(olds, part(old, from, was)) || !slices.Equal(news, part(new, to, now)) {
				t.Fatalf("%q and %q: hunk %d is %q", old, new, i, hunk)
			}
		}
	})
}

// part returns n lines from the first one, which counts from 1; of no lines, the line before them is named.
func part(lines []string, first, n int) []string {
	if n == 0 {
		return nil
	}
	return lines[first-1 : first-1+n]
}
