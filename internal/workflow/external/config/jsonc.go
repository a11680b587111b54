package config

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/callsheet/callsheet/gen/diag"
)

// maxDepth bounds the nesting of a file. The format needs four levels.
const maxDepth = 32

// node is one JSON value with its position.
type node struct {
	kind    hujson.Kind
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

// hujsonError matches an error of the library.
var hujsonError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^hujson: line (\d+), column (\d+): (.*)$`) })

// parseJSONC parses JSON with comments and trailing commas.
func parseJSONC(file string, data []byte) (node, *diag.Diagnostic) {
	wrong := func(pos diag.Pos, message string) (node, *diag.Diagnostic) {
		return node{}, &diag.Diagnostic{Pos: pos, Severity: diag.Error, Rule: ruleSyntax, Message: message}
	}
	if !utf8.Valid(data) {
		return wrong(diag.Pos{File: file}, "the file is not UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	root, err := hujson.Parse(bytes.Clone(data))
	if err != nil {
		pos, message := diag.Pos{File: file, Line: 1, Col: 1, Len: 1}, err.Error()
		if m := hujsonError().FindStringSubmatch(message); m != nil {
			pos.Line, _ = strconv.Atoi(m[1]) // digits
			pos.Col, _ = strconv.Atoi(m[2])
			message = m[3]
		}
		if strings.HasSuffix(message, "unexpected EOF") {
			message = "the file ends early"
		}
		return wrong(pos, message)
	}
	root.UpdateOffsets()
	r := &jsoncReader{file: file, data: data}
	n, err := r.node(&root, 0)
	if err != nil {
		return wrong(n.pos, err.Error())
	}
	return n, nil
}

// jsoncReader converts the values of a file to nodes, in ascending order.
type jsoncReader struct {
	file string
	data []byte

	line, col int // 0-based position of counted; offsets ascend, so each byte is counted once
	counted   int // offset that line and col belong to
}

// pos returns the position of a byte.
func (r *jsoncReader) pos(offset, length int) diag.Pos {
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

func (r *jsoncReader) node(v *hujson.Value, depth int) (n node, err error) {
	n = node{kind: v.Value.Kind(), pos: r.pos(v.StartOffset, 1)}
	if depth > maxDepth {
		return n, fmt.Errorf("more than %d levels of nesting", maxDepth)
	}
	switch v := v.Value.(type) {
	case hujson.Literal:
		n.text, n.pos.Len = v.String(), utf8.RuneCount(v)
	case *hujson.Array:
		for i := range v.Elements {
			item, err := r.node(&v.Elements[i], depth+1)
			if err != nil {
				return item, err
			}
			n.items = append(n.items, item)
		}
	case *hujson.Object:
		for i := range v.Members {
			key, err := r.node(&v.Members[i].Name, depth+1)
			if err != nil {
				return key, err
			}
			value, err := r.node(&v.Members[i].Value, depth+1)
			if err != nil {
				return value, err
			}
			n.members = append(n.members, member{key.text, key.pos, value})
		}
	}
	return n, nil
}
