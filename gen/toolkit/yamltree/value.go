package yamltree

import "github.com/callsheet/callsheet/gen/diag"

// File is one source file. Name is slash-separated and relative to the directory that diagnostics are
// read in; they show it as it is.
type File struct {
	Name string
	Data []byte
}

// Scalar is a value with its place. The zero Scalar is "not written".
type Scalar[T any] struct {
	Value T
	Pos   diag.Pos
}

// Set reports whether the author wrote the value.
func (s Scalar[T]) Set() bool { return !s.Pos.IsZero() }

// LiteralKind is the YAML kind of a literal.
type LiteralKind string

// The kinds of literals. A list or mapping where a literal is wanted is a wrong-kind problem,
// except as a default, where OtherLiteral lets the caller say which type was expected.
const (
	StringLiteral LiteralKind = "text"
	NumberLiteral LiteralKind = "a number"
	BoolLiteral   LiteralKind = "a boolean"
	NullLiteral   LiteralKind = "null"
	OtherLiteral  LiteralKind = "a list or mapping"
)

// Literal is a scalar of any kind. Text is the source text, whatever the kind.
type Literal struct {
	Kind   LiteralKind
	Text   Text
	Number float64
	Bool   bool
}

// Set reports whether the author wrote the value.
func (l Literal) Set() bool { return l.Text.Set() }
