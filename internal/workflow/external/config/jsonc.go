package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callsheet/callsheet/gen/diag"
)

// maxDepth bounds the nesting of a file. The format needs four levels.
const maxDepth = 32

// node is one JSON value with its position.
type node struct {
	kind    jsontext.Kind
	pos     diag.Pos
	text    string // the string, or the literal as written
	members []member
	items   []node
}

type member struct {
	key   string
	pos   diag.Pos
	value node
}

// parseJSONC parses JSON with comments and trailing commas.
func parseJSONC(file string, data []byte) (node, *diag.Diagnostic) {
	if !utf8.Valid(data) {
		return node{}, &diag.Diagnostic{Pos: diag.Pos{File: file}, Severity: diag.Error, Rule: ruleSyntax,
			Message: "the file is not UTF-8"}
	}
	r := &jsoncReader{file: file, data: blankComments(bytes.TrimPrefix(data, []byte("\ufeff")))}
	r.dec = jsontext.NewDecoder(bytes.NewReader(r.data), jsontext.AllowDuplicateNames(true))
	root, err := r.readValue(0)
	if err == nil {
		if _, err = r.dec.ReadToken(); errors.Is(err, io.EOF) {
			return root, nil
		} else if err == nil {
			err = errors.New("text after the end of the object")
		}
	}
	at := r.dec.InputOffset()
	message := err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		at, message = int64(len(r.data)), "the file ends early"
	} else if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, message = syntax.ByteOffset, syntax.Err.Error()
	}
	return node{}, &diag.Diagnostic{Pos: r.pos(at, 1), Severity: diag.Error, Rule: ruleSyntax, Message: message}
}

type jsoncReader struct {
	file string
	data []byte
	dec  *jsontext.Decoder

	line, col int   // 0-based position of counted; offsets usually ascend, so each byte is counted once
	counted   int64 // offset that line and col belong to
}

// pos returns the position of a byte.
func (r *jsoncReader) pos(offset int64, length int) diag.Pos {
	offset = min(offset, int64(len(r.data)))
	if offset < r.counted {
		r.line, r.col, r.counted = 0, 0, 0
	}
	for ; r.counted < offset; r.counted++ {
		switch b := r.data[r.counted]; {
		case b == '\n':
			r.line, r.col = r.line+1, 0
		case utf8.RuneStart(b):
			r.col++
		}
	}
	return diag.Pos{File: r.file, Line: r.line + 1, Col: r.col + 1, Len: length}
}

// nextOffset returns the offset of the next token.
func (r *jsoncReader) nextOffset() int64 {
	at := r.dec.InputOffset()
	for at < int64(len(r.data)) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[at]) >= 0 {
		at++
	}
	return at
}

func (r *jsoncReader) readValue(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, fmt.Errorf("more than %d levels of nesting", maxDepth)
	}
	at := r.nextOffset()
	tok, err := r.dec.ReadToken()
	if err != nil {
		return node{}, err
	}
	n := node{kind: tok.Kind()}
	switch n.kind {
	case '{', '[':
		n.pos = r.pos(at, 1)
	default:
		n.text = tok.String()
		n.pos = r.pos(at, utf8.RuneCount(r.data[at:r.dec.InputOffset()]))
	}
	for (n.kind == '{' || n.kind == '[') && r.dec.PeekKind() != n.kind+2 { // in ASCII a closing bracket is two after its opening one
		var m member
		if n.kind == '{' {
			key, err := r.readValue(depth + 1)
			if err != nil {
				return node{}, err
			}
			m.key, m.pos = key.text, key.pos
		}
		if m.value, err = r.readValue(depth + 1); err != nil {
			return node{}, err
		}
		if n.kind == '{' {
			n.members = append(n.members, m)
		} else {
			n.items = append(n.items, m.value)
		}
	}
	if n.kind == '{' || n.kind == '[' {
		_, err = r.dec.ReadToken()
	}
	return n, err
}

// blankComments overwrites comments and trailing commas with spaces, which keeps the offset of
// every byte.
func blankComments(data []byte) []byte {
	out := bytes.Clone(data)
	comma := -1 // last comma, if only white space followed
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			for ; i < end; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			i--
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma] = ' '
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	return out
}

// commentEnd returns the end of the comment that starts at i. It leaves an unclosed comment for the
// parser to report.
func commentEnd(data []byte, i int) int {
	if data[i+1] == '/' {
		if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(data)
	}
	if n := bytes.Index(data[i+2:], []byte("*/")); n >= 0 {
		return i + 2 + n + 2
	}
	return i + 1
}
