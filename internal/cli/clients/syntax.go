package clients

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// SyntaxError says where a configuration is not what its form asks for. Line and Column count from 1.
type SyntaxError struct {
	Line, Column int
	Message      string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// syntaxError is an error at a byte of a text.
func syntaxError(text []byte, offset int, format string, args ...any) error {
	before := text[:min(offset, len(text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &SyntaxError{line, column, fmt.Sprintf(format, args...)}
}

// newline returns the line ending of a text.
func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// splice replaces the bytes from begin to end.
func splice(text []byte, begin, end int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	return append(append(append(out, text[:begin]...), with...), text[end:]...)
}
