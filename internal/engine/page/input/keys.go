package input

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/chromedp/chromedp/kb"

	"github.com/callsheet/callsheet/gen/spelling"
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

// nearestName returns the name that a misspelt one may mean, in any case; "" if none is near. One character
// is no misspelt name.
func nearestName(name string, names []string) string {
	if utf8.RuneCountInString(name) < 2 {
		return ""
	}
	written := make(map[string]string, len(names))
	lower := make([]string, len(names))
	for i, n := range names {
		lower[i] = strings.ToLower(n)
		written[lower[i]] = n
	}
	return written[spelling.Nearest(strings.ToLower(name), lower)]
}
