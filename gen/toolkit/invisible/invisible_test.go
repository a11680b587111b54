package invisible

import "testing"

func TestIndex(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"plain, ümlauts, 日本語\n\tand tabs":     -1,
		"a family \U0001F468\u200d\U0001F469": -1,
		"a heart ❤\ufe0f":                     -1,
		"a\u202eb":                            1,
		"a\u200db":                            1,
		"tag \U000E0041":                      4,
		"\ufefftools":                         0,
		"soft\u00adhyphen":                    4,
		"line\u2028separator":                 4,
		"bell\a":                              4,
		"return\r\n":                          6,
	} {
		if got := Index(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestMixedScripts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"Execute": -1, "Ex\u0435cute": 2, "p\u0430ge and page": 1, "say \u03bfK": 6, "\u0441opy": 2, "A\u13d4": 1,
		"Привет page": -1, "URL\u306e値": -1, "10 µs": -1, "naïve": -1, "page_\u0430": -1, "x\u0301\u0430": 3,
	} {
		if at := MixedScripts(text); at != want {
			t.Errorf("%q: index %d, want %d", text, at, want)
		}
	}
}
