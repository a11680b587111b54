package codegen

import "strings"

// keyNames are the names that both languages know, under those that a caller may give in any case.
func keyNames() map[string]string {
	names := map[string]string{
		"ctrl": "Control", "controlormeta": "Control", "option": "Alt", "cmd": "Meta", "command": "Meta", "win": "Meta", "super": "Meta",
		"esc": "Escape", "del": "Delete", "ins": "Insert", "return": "Enter", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
		"right": "ArrowRight", "pgup": "PageUp", "pgdn": "PageDown", "bksp": "Backspace", "spacebar": "Space",
	}
	for _, name := range []string{
		"Control", "Alt", "Meta", "Shift", "Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space", "Home", "End", "PageUp", "PageDown",
		"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
	} {
		names[strings.ToLower(name)] = name
	}
	return names
}

// normalizeKeys writes keys and chords, such as ctrl+a, with names that both languages know.
// Variables and characters stay.
func normalizeKeys(keys string) string {
	if strings.TrimSpace(keys) == "" {
		return "Space"
	}
	names, chords := keyNames(), strings.Fields(keys)
	for i, chord := range chords {
		parts := strings.Split(chord, "+")
		for j, part := range parts {
			if name, ok := names[strings.ToLower(part)]; ok {
				parts[j] = name
			}
		}
		chords[i] = strings.Join(parts, "+")
	}
	return strings.Join(chords, " ")
}
