package textdiff

import (
	"fmt"
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

// Whatever the texts are, the lines of a comparison without '+' are the old text, and those without
// '-' the new one.
func TestCompareKeepsBothTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 0, 12)
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		var was, now []string
		for _, l := range compare(old, new) {
			if l.mark != '+' {
				if was = append(was, l.text); l.old != len(was) {
					t.Fatalf("line %d of the old text has number %d", len(was), l.old)
				}
			}
			if l.mark != '-' {
				now = append(now, l.text)
			}
		}
		if fmt.Sprint(was) != fmt.Sprint(old) || fmt.Sprint(now) != fmt.Sprint(new) {
			t.Fatalf("%q and %q became %q and %q", old, new, was, now)
		}
	})
}
