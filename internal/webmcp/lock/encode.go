package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// version is the version of the file format.
const version = 1

// document is the file.
type document struct {
	Version int               `json:"version"`
	Origins map[string]origin `json:"origins"`
}

type origin struct {
	Tools map[string]Entry `json:"tools"`
}

// encode returns the file: sorted, indented, and with invisible characters escaped, so that a diff of two
// versions shows a person everything that changed.
func (l *Lock) encode() ([]byte, error) {
	doc := document{Version: version, Origins: map[string]origin{}}
	for name, tools := range l.origins {
		doc.Origins[name] = origin{Tools: tools}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return escapeHidden(b.Bytes()), nil
}

// decode reads a file. Members of two names, unknown members and entries beyond the bounds are errors: a lock
// that is read in part would allow what the rest forbids.
func decode(data []byte) (*Lock, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := jsonv2.Unmarshal(data, &head); err != nil {
		return nil, located(data, err)
	}
	if head.Version != version {
		return nil, fmt.Errorf("its version is %d, and this program reads %d", head.Version, version)
	}
	var doc document
	if err := jsonv2.Unmarshal(data, &doc, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, located(data, err)
	}
	l := &Lock{origins: map[string]map[string]Entry{}}
	if len(doc.Origins) > MaxOrigins {
		return nil, fmt.Errorf("it has %d origins, and at most %d are read", len(doc.Origins), MaxOrigins)
	}
	for name, o := range doc.Origins {
		if err := CheckOrigin(name); err != nil {
			return nil, err
		}
		if len(o.Tools) > MaxTools {
			return nil, fmt.Errorf("%s has %d tools, and at most %d are read", name, len(o.Tools), MaxTools)
		}
		tools := map[string]Entry{}
		for key, e := range o.Tools {
			e.Name, e.InputSchema, e.OutputSchema = key, compact(e.InputSchema), compact(e.OutputSchema)
			if err := e.Check(); err != nil {
				return nil, fmt.Errorf("%s: %.128q: %w", name, key, err)
			}
			if e.AllowedBy == "" {
				return nil, fmt.Errorf("%s: %s: allowed_by is missing", name, key)
			}
			tools[key] = e
		}
		if len(tools) > 0 {
			l.origins[name] = tools
		}
	}
	return l, nil
}

// located adds the line to an error of the decoder.
func located(data []byte, err error) error {
	var at int64
	var syntactic *jsontext.SyntacticError
	var semantic *jsonv2.SemanticError
	switch {
	case errors.As(err, &syntactic):
		at, err = syntactic.ByteOffset, syntactic.Err
	case errors.As(err, &semantic):
		at = semantic.ByteOffset
		if err = semantic.Err; err == nil {
			err = fmt.Errorf("%s is of another type", semantic.JSONPointer)
		} else {
			err = fmt.Errorf("%s: %w", semantic.JSONPointer, err)
		}
	default:
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(int(at), len(data))], []byte("\n")), err)
}

// escapeHidden escapes what shows nothing or reorders what is shown. In JSON such characters stand in texts
// only.
func escapeHidden(data []byte) []byte {
	if !bytes.ContainsFunc(data, isHidden) {
		return data
	}
	var b strings.Builder
	for _, r := range string(data) {
		if !isHidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			b.WriteString(`\u` + strconv.FormatUint(uint64(unit)|0x10000, 16)[1:])
		}
	}
	return []byte(b.String())
}

// isHidden reports a character beyond ASCII that is not seen where it stands.
func isHidden(r rune) bool {
	return r >= 0x7f && (!unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r))
}
