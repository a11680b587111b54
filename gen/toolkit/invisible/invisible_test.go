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
