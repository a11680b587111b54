package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Tool is one tool that a document offers. Every text of it is page content.
type Tool struct {
	Name         string          `json:"-"` // the key in the file
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`  // nil where the page gave none
	OutputSchema json.RawMessage `json:"output_schema,omitempty"` // nil where the page gave none
	Annotations  Annotations     `json:"annotations"`
	// Declarative reports that the tool is an annotated form.
	Declarative bool `json:"declarative,omitempty"`
}

// Annotations are the hints of a page about its tool. None of them is proved.
type Annotations struct {
	ReadOnly         bool `json:"read_only,omitempty"`
	UntrustedContent bool `json:"untrusted_content,omitempty"`
	Consequential    bool `json:"consequential,omitempty"`
	Debugging        bool `json:"debugging,omitempty"`
	Autosubmit       bool `json:"autosubmit,omitempty"`
}

// Bounds of one tool. What is larger is in no lock, because comparing it could take for ever.
const (
	MaxName        = 128     // characters, as the specification bounds them
	MaxDescription = 8 << 10 // bytes
	MaxSchema      = 64 << 10
	MaxNesting     = 32 // objects and arrays within each other
)

// InvalidError says why a tool cannot be judged.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return "the tool cannot be locked: " + e.Reason }

// Code implements fault.Coded.
func (*InvalidError) Code() codes.Code { return codes.PageToolUnusable }

// Fields implements fault.Coded.
func (e *InvalidError) Fields() []fault.Field {
	return []fault.Field{{Name: "reason", Value: e.Reason}}
}

// Check returns an *InvalidError for a tool that cannot be judged: one with another name than the
// specification allows, or larger than the bounds.
func (t Tool) Check() error {
	reason := ""
	switch {
	case t.Name == "" || len(t.Name) > MaxName || strings.ContainsFunc(t.Name, isForeign):
		reason = fmt.Sprintf("its name is not 1 to %d of A-Z a-z 0-9 _ - .", MaxName)
	case len(t.Description) > MaxDescription:
		reason = fmt.Sprintf("its description has %d bytes, and at most %d are taken", len(t.Description), MaxDescription)
	case !utf8.ValidString(t.Description):
		reason = "its description is not valid UTF-8"
	default:
		if err := checkSchema(t.InputSchema); err != nil {
			reason = "its input schema " + err.Error()
		} else if err := checkSchema(t.OutputSchema); err != nil {
			reason = "its output schema " + err.Error()
		}
	}
	if reason != "" {
		return &InvalidError{reason}
	}
	return nil
}

// isForeign reports a character that no name has.
func isForeign(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-.", r)
}

// checkSchema bounds a schema, which may be absent.
func checkSchema(text json.RawMessage) error {
	switch {
	case len(text) == 0:
		return nil
	case len(text) > MaxSchema:
		return fmt.Errorf("has %d bytes, and at most %d are taken", len(text), MaxSchema)
	case !utf8.Valid(text):
		return errors.New("is not valid UTF-8")
	case !json.Valid(text):
		return errors.New("is no JSON")
	case Nesting(text) > MaxNesting:
		return fmt.Errorf("is nested deeper than %d", MaxNesting)
	case bytes.TrimSpace(text)[0] != '{':
		return errors.New("is no object")
	}
	return nil
}

// Nesting returns how deep the objects and arrays of a JSON text are nested: 0 for a text without them. The
// result for a text that is not valid JSON means nothing.
func Nesting(text []byte) int {
	depth, deepest, inText := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// equal reports whether two tools are the same but for white space in their schemas.
func (t Tool) equal(o Tool) bool {
	return t.Name == o.Name && t.Description == o.Description && t.Annotations == o.Annotations && t.Declarative == o.Declarative &&
		bytes.Equal(compact(t.InputSchema), compact(o.InputSchema)) && bytes.Equal(compact(t.OutputSchema), compact(o.OutputSchema))
}

// compact is a JSON text without white space between its tokens. One that is no JSON stays as it is.
func compact(text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}
