package external

import (
	"strings"
	"testing"
)

// A value that holds another one is hidden whole.
func TestRedactsLongestValueFirst(t *testing.T) {
	for _, values := range [][]string{{"secret", "secret-and-more"}, {"secret-and-more", "secret"}} {
		if got := newRedactor(values).redact("a secret-and-more b secret c"); got != "a *** b *** c" {
			t.Errorf("%q: %s", values, got)
		}
	}
}

// TestTailRedactsTruncatedSecrets looks for secrets in the last output of a process, cut in two or
// over several lines.
func TestTailRedactsTruncatedSecrets(t *testing.T) {
	key := "-----BEGIN KEY-----\nabcdefghij\nklmnopqrst\n-----END KEY-----"
	token := strings.Repeat("0123456789", 6)
	hide := newRedactor([]string{key, token})
	for name, written := range map[string]string{
		"lines": "it has " + key + " and fails",
		"cut":   token + strings.Repeat("x", maxKeptStderr-20) + "\n" + strings.Repeat("y ", 9),
		"all":   strings.Repeat(token+"\n", maxKeptStderr/60+2),
	} {
		var last tailBuffer
		for part := range strings.Lines(written) {
			last.write([]byte(part))
		}
		got := last.text(hide)
		if strings.Contains(got, "abcdefghij") || strings.Contains(got, token[50:]) || len(got) > maxShownStderr+
			len("***") {
			t.Errorf("%s: %d bytes: %s", name, len(got), got)
		}
		if !strings.Contains(got, "fails") && !strings.Contains(got, "y y") && !strings.Contains(got, "***") {
			t.Errorf("%s: nothing is left: %q", name, got)
		}
	}
}
