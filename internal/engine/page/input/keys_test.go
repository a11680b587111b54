package input

import (
	"errors"
	"strings"
	"testing"
)

func FuzzParseKeys(f *testing.F) {
	for _, seed := range []string{"Enter", "Control+a", "Tab Tab Enter", "Control++", "+", "Shift++ +", "Ctrl+Shift+T", "é", "Entr", "a+b", "", " ", "\xff", "日本"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, keys string) {
		chords, err := parseKeys(keys)
		if err != nil {
			if _, ok := errors.AsType[*BadKeyError](err); !ok || len(chords) > 0 {
				t.Fatalf("%q: %v with %d chords", keys, err, len(chords))
			}
			return
		}
		if want := len(strings.Fields(keys)); len(chords) != max(1, want) {
			t.Fatalf("%q: %d chords", keys, len(chords))
		}
		for _, c := range chords {
			if (c.key == nil) == (c.text == "") {
				t.Fatalf("%q: chord %+v is neither a key nor a text", keys, c)
			}
			var bits int64
			for _, m := range c.modifiers {
				bits |= modifierBit(m)
			}
			if bits != c.bits || bits == 0 && len(c.modifiers) > 0 {
				t.Fatalf("%q: modifiers %v, bits %d", keys, c.modifiers, c.bits)
			}
		}
	})
}

func TestKeysByName(t *testing.T) {
	for keys, want := range map[string]string{
		"enter": "Enter", "Esc": "Escape", "Control++": "+", "+": "+", "Space": " ", "ctrl+PageDown": "PageDown", "del": "Delete", "F12": "F12",
	} {
		chords, err := parseKeys(keys)
		if err != nil || chords[0].key.Key != want {
			t.Errorf("%s: %+v %v", keys, chords, err)
		}
	}
	for keys, nearest := range map[string]string{"Entr": "Enter", "Contrl+a": "Control", "ArowDown": "ArrowDown", "Qwertzuiop": "", "a+b": ""} {
		_, err := parseKeys(keys)
		bad, ok := errors.AsType[*BadKeyError](err)
		if !ok || bad.Nearest != nearest {
			t.Errorf("%s: %v", keys, err)
		}
	}
}
