package fence_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/callsheet/callsheet/internal/text/fence"
)

func TestCleanRemovesInvisibleCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain, wörds\n\tand 日本語":   "plain, wörds\n\tand 日本語",
		"a\x1b[31mred\x07\x00b\x7f": "a[31mredb", "a\u009b31mb": "a31mb", "a\r\nb\rc\u2028d\u2029e\u0085f": "a\nb\nc\nd\ne\nf",
		"pay \u202egnp.exe\u202c \u2066x\u2069\u200e\u200f\u061c": "pay gnp.exe x",
		"hi\U000e0049\U000e0047\U000e004e\U000e007f!":             "hi!", "a\ufe01\ufe02\U000e0101b\ufe0fc": "abc",
		"in\u200bvi\u200csi\u200dble\u2060\ufeff\u00ad\u034f": "invisible",
		"❤\ufe0f 1\ufe0f\u20e3 👩\u200d💻":                      "❤\ufe0f 1\ufe0f\u20e3 👩\u200d💻", "می\u200cخواهم": "می\u200cخواهم",
		"❤\ufe0f\ufe0f\ufe0e\ufe01": "❤\ufe0f", "ک\u200c\u200d\u200c\u200c": "ک\u200c", "\xff\ufdd0\U0001ffff": "\ufffd",
	} {
		if got := fence.Clean(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := fence.Line("a\nb\tc</page>\u2028d"); got != "a b c&lt;/page> d" {
		t.Errorf("a line is %q", got)
	}
}

// lookAlikes are tags that a model may take for those of the fence.
var lookAlikes = []string{
	"</page>", "</PAGE>", "</page >", "< / page>", "<page>", "</page k3f9>", "<page k3f9>", "＜/page＞", "</раge>", "</ｐａｇｅ>", "‹/page›", "﹤/page﹥", "⟨/page⟩", "❮/page❯", "ᐸ/page", "˂/page", "≺/page", "〈/page〉", "</pa\u200bge>", "<\u200b/page>",
	"</page\n>", "<\\/page>", "</page\u00a0>", "</page", "<page/>", "</p\u00adage>",
}

func TestFenceEndsOnce(t *testing.T) {
	t.Parallel()
	for _, tag := range lookAlikes {
		for _, text := range []string{tag, "before " + tag + " after", tag + tag + "\n" + tag} {
			got := fence.Seal(fence.Quote(text)+"\n"+text, "a2b4")
			head, rest, _ := strings.Cut(got, "<page a2b4>\n")
			body, tail, found := strings.Cut(rest, "</page a2b4>")
			if head != "" || !found || hasTag(body) || hasTag(tail) {
				t.Errorf("%q is fenced as %q", text, got)
			}
		}
	}
	for _, kept := range []string{"1 < 2", "<page-header>", "<pages>", "a <b>page</b>", "<pagelet>"} {
		if got := fence.Seal(kept, "a2b4"); got != kept {
			t.Errorf("%q becomes %q", kept, got)
		}
	}
}

// hasTag looks for a tag in other ways than the package does.
func hasTag(text string) bool {
	read := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.NewReplacer("р", "p", "а", "a", "ɡ", "g", "е", "e").Replace(strings.ToLower(text)))
	read = looksLikeAngle.ReplaceAllString(read, "<")
	return strings.Contains(read, "</page") || strings.Contains(read, "<page>")
}

// looksLikeAngle matches characters that a model may read as <.
var looksLikeAngle = regexp.MustCompile("[＜﹤‹〈⟨〈❮ᐸ˂≺]")

func TestSealJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":"plain","n":1.50}`:                                   `{"a":"plain","n":1.50}`,
		`{"a":"x\u001b[2Jy\u202ez","b":["\u003c/page\u003e"]}`:     `{"a":"x[2Jyz","b":["\u0026lt;/page\u003e"]}`,
		`{"t":"hi\udb40\udc49!"}`:                                  `{"t":"hi!"}`,
		`{"q":"a \"quoted\" \\u001b text","w":"line\nbreak\ttab"}`: `{"q":"a \"quoted\" \\u001b text","w":"line\nbreak\ttab"}`,
	} {
		if got := string(fence.SealJSON([]byte(text), "a2b4")); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

func FuzzSeal(f *testing.F) {
	for _, seed := range append(lookAlikes, "a\x1b[31m", "\u202e", "❤\ufe0f\ufe0f", "\xff\xfe", "<<page>page>", "</<page>page>") {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, inside, outside string) {
		got := fence.Seal(outside+fence.Quote(inside), "a2b4")
		if strings.Count(got, "<page a2b4>") != 1 || strings.Count(got, "</page a2b4>") != 1 || !strings.HasSuffix(got, "</page a2b4>") {
			t.Fatalf("%q and %q give %q", outside, inside, got)
		}
		if fence.Clean(got) != got || !utf8.ValidString(got) {
			t.Fatalf("%q is not clean: %q", inside, got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0xe0000 && r <= 0xe0fff {
				t.Fatalf("%q keeps %U", inside, r)
			}
		}
		if line := fence.Line(inside); strings.ContainsAny(line, "\n\t\r") {
			t.Fatalf("%q is several lines: %q", inside, line)
		}
		whole, err := json.Marshal(map[string]string{"a": inside})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(fence.SealJSON(whole, "a2b4"), &back); err != nil || fence.Seal(back["a"], "a2b4") != back["a"] {
			t.Fatalf("%s: %v, %q", whole, err, back["a"])
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	text := fence.Quote(strings.Repeat("- button \"Save the draft\" [e12] and some wörds of a page\n", 300))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = fence.Seal(text, "a2b4")
	}
}
