package input

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/chromedp/chromedp/kb"
)

// chord is one key pressed while modifiers are held.
type chord struct {
	modifiers []*kb.Key
	bits      int64
	key       *kb.Key
	// text is set for a character that the keyboard layout lacks.
	text string
}

// keyTable maps lower-case key names to keys. Several keys share a name (left
// and right, main block and keypad); the first in order of code is the usual one.
var keyTable = sync.OnceValue(func() map[string]*kb.Key {
	runes := make([]rune, 0, len(kb.Keys))
	for r := range kb.Keys {
		runes = append(runes, r)
	}
	slices.Sort(runes)
	table := make(map[string]*kb.Key, len(runes))
	for _, r := range runes {
		key := kb.Keys[r]
		name := strings.ToLower(key.Key)
		if utf8.RuneCountInString(name) > 1 && table[name] == nil {
			table[name] = key
		}
	}
	for alias, name := range map[string]string{
		"esc": "escape", "del": "delete", "ins": "insert", "return": "enter", "up": "arrowup", "down": "arrowdown",
		"left": "arrowleft", "right": "arrowright", "ctrl": "control", "option": "alt", "cmd": "meta", "command": "meta",
		"win": "meta", "super": "meta", "controlormeta": "control", "pgup": "pageup", "pgdn": "pagedown", "bksp": "backspace",
	} {
		if key := table[name]; key != nil {
			table[alias] = key
		}
	}
	table["enter"], table["tab"], table["space"] = kb.Keys['\r'], kb.Keys['\t'], kb.Keys[' ']
	table["return"], table["spacebar"], table["plus"] = kb.Keys['\r'], kb.Keys[' '], kb.Keys['+']
	return table
})

// modifierBit returns the protocol's bit of a modifier key, 0 for any other key.
func modifierBit(key *kb.Key) int64 {
	switch key.Key {
	case "Alt":
		return int64(kb.ModifierAlt)
	case "Control":
		return int64(kb.ModifierCtrl)
	case "Meta":
		return int64(kb.ModifierMeta)
	case "Shift":
		return int64(kb.ModifierShift)
	}
	return 0
}

// parseKeys reads a sequence of chords separated by blanks: "Control+a",
// "Tab Tab Enter". A plus sign is itself a key when nothing follows it.
func parseKeys(keys string) ([]chord, error) {
	fields := strings.Fields(keys)
	if len(fields) == 0 {
		if strings.Contains(keys, " ") {
			return []chord{{key: kb.Keys[' ']}}, nil
		}
		return nil, &BadKeyError{Key: keys}
	}
	chords := make([]chord, 0, len(fields))
	for _, field := range fields {
		c, err := parseChord(field)
		if err != nil {
			return nil, err
		}
		chords = append(chords, c)
	}
	return chords, nil
}

func parseChord(field string) (chord, error) {
	parts := strings.Split(field, "+")
	// "Control++" and "+": the last key is the plus sign.
	if n := len(parts); n >= 2 && parts[n-1] == "" && parts[n-2] == "" {
		parts = append(parts[:n-2], "+")
	}
	var c chord
	for _, name := range parts[:len(parts)-1] {
		key, err := modifierKey(name)
		if err != nil {
			return chord{}, err
		}
		if bit := modifierBit(key); c.bits&bit == 0 {
			c.modifiers, c.bits = append(c.modifiers, key), c.bits|bit
		}
	}
	last := parts[len(parts)-1]
	if utf8.RuneCountInString(last) == 1 {
		r, _ := utf8.DecodeRuneInString(last)
		if key := kb.Keys[r]; key != nil && key.Print {
			c.key = key
			return c, nil
		}
		if c.bits == 0 && r != utf8.RuneError {
			c.text = last
			return c, nil
		}
		return chord{}, unknownKey(last)
	}
	if c.key = keyTable()[strings.ToLower(last)]; c.key == nil {
		return chord{}, unknownKey(last)
	}
	return c, nil
}

func modifierKey(name string) (*kb.Key, error) {
	key := keyTable()[strings.ToLower(name)]
	if key == nil || modifierBit(key) == 0 {
		nearest := nearestName(name, []string{"Alt", "Control", "ControlOrMeta", "Meta", "Shift"})
		return nil, &BadKeyError{Key: name, Nearest: nearest}
	}
	return key, nil
}

func modifierBits(names []string) (int64, error) {
	var bits int64
	for _, name := range names {
		key, err := modifierKey(name)
		if err != nil {
			return 0, err
		}
		bits |= modifierBit(key)
	}
	return bits, nil
}

func unknownKey(name string) error {
	names := []string{}
	for _, key := range keyTable() {
		if !slices.Contains(names, key.Key) && key.Key != " " {
			names = append(names, key.Key)
		}
	}
	slices.Sort(names)
	return &BadKeyError{Key: name, Nearest: nearestName(name, names)}
}

// nearestName returns the name within the fewest edits, if few enough for a typing mistake.
func nearestName(name string, names []string) string {
	best, nearest := min(max(2, len(name)/3), len(name)-1)+1, ""
	if len(name) > 40 {
		return ""
	}
	for _, candidate := range names {
		if d := edits(strings.ToLower(name), strings.ToLower(candidate)); d < best {
			best, nearest = d, candidate
		}
	}
	return nearest
}

// edits returns the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
