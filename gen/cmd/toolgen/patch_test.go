package main

import (
	"fmt"
	"strings"
)

// patched applies a patch as TestMistakes describes it.
func patched(data, patch []byte) ([]byte, error) {
	text := string(data)
	for _, hunk := range strings.Split("\n"+string(patch), "\n@@\n") {
		old, now, err := sides(strings.TrimPrefix(hunk, "\n"))
		if err != nil {
			return nil, err
		}
		if old == "" {
			text += now
			continue
		}
		if n := strings.Count("\n"+text, "\n"+old); n != 1 {
			return nil, fmt.Errorf("the file has these lines %d times:\n%s", n, old)
		}
		text = strings.TrimPrefix(strings.Replace("\n"+text, "\n"+old, "\n"+now, 1), "\n")
	}
	return []byte(text), nil
}

// sides returns the lines that a hunk replaces and what it puts there.
func sides(hunk string) (old, now string, err error) {
	var a, b strings.Builder
	for line := range strings.Lines(hunk) {
		if !strings.HasSuffix(line, "\n") {
			line += "\n"
		}
		switch line[0] {
		case '-':
			a.WriteString(line[1:])
		case '+':
			b.WriteString(line[1:])
		case ' ':
			a.WriteString(line[1:])
			b.WriteString(line[1:])
		case '\n':
		default:
			return "", "", fmt.Errorf("a line of a patch begins with +, - or a space: %q", line)
		}
	}
	return a.String(), b.String(), nil
}
