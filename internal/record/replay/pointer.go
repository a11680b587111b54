package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/argument"
)

// decodeArguments decodes arguments. Numbers stay as they are written.
func decodeArguments(args json.RawMessage) (map[string]any, error) {
	out := map[string]any{}
	if len(args) == 0 {
		return out, nil
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	err := d.Decode(&out)
	return out, err
}

// findParent returns the object or list that holds the value at a JSON pointer, and the pointer's
// last token.
func findParent(args map[string]any, pointer string) (in any, last string, err error) {
	tokens := argument.Tokens(pointer)
	in = args
	for i, token := range tokens {
		if i == len(tokens)-1 {
			return in, token, nil
		}
		switch v := in.(type) {
		case map[string]any:
			in = v[token]
		case []any:
			n, convert := strconv.Atoi(token)
			if convert != nil || n < 0 || n >= len(v) {
				return nil, "", fault.New(codes.Failed, fmt.Sprintf("the arguments have no %s", pointer))
			}
			in = v[n]
		default:
			return nil, "", fault.New(codes.Failed, fmt.Sprintf("the arguments have no %s", pointer))
		}
	}
	return in, "", nil
}

// setValue sets the value at a JSON pointer whose parent must exist.
func setValue(args map[string]any, pointer string, value any) error {
	in, last, err := findParent(args, pointer)
	if err != nil {
		return err
	}
	switch v := in.(type) {
	case map[string]any:
		v[last] = value
		return nil
	case []any:
		if n, convert := strconv.Atoi(last); convert == nil && n >= 0 && n < len(v) {
			v[n] = value
			return nil
		}
	}
	return fault.New(codes.Failed, fmt.Sprintf("the arguments have no %s", pointer))
}

// setRef makes the argument at a pointer name an element by its ref. A query is replaced by the
// ref.
func setRef(args map[string]any, pointer, ref string) error {
	in, last, err := findParent(args, pointer)
	if err != nil {
		return err
	}
	if object, ok := in.(map[string]any); ok && last == "query" {
		delete(object, "query")
		object["ref"] = ref
		return nil
	}
	return setValue(args, pointer, ref)
}
