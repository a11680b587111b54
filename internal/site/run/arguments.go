package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// MissingArgumentsError names the required arguments that a call of a tool lacks.
type MissingArgumentsError struct {
	Tool  string
	Names []string
}

func (e *MissingArgumentsError) Error() string {
	return e.Tool + " needs a value for " + strings.Join(e.Names, ", ")
}

// Code is INVALID_ARGUMENTS.
func (*MissingArgumentsError) Code() codes.Code { return codes.InvalidArguments }

// Fields returns the names.
func (e *MissingArgumentsError) Fields() []fault.Field {
	return []fault.Field{{Name: "missing", Value: e.Names}}
}

// values returns the values of a tool's parameters: the arguments, the defaults and the values of the
// site.
func (s *Site) values(t *Tool, args json.RawMessage) (map[string]any, error) {
	out := maps.Clone(s.Values)
	if out == nil {
		out = map[string]any{}
	}
	given := map[string]any{}
	if len(args) > 0 {
		d := json.NewDecoder(bytes.NewReader(args))
		d.UseNumber()
		if err := d.Decode(&given); err != nil {
			return nil, fmt.Errorf("read the arguments of %s: %w", t.Name, err)
		}
	}
	var missing []string
	for _, p := range t.Parameters {
		v, ok := given[p.Name]
		switch {
		case ok && v != nil:
			if namesSecret(v) {
				return nil, secretError(t.Name, p.Name)
			}
			out[p.Name] = v
		case p.Default != nil:
			value, err := decodeWhole(p.Default) // with every digit of a number
			if err != nil {
				return nil, fmt.Errorf("read the default of %s: %w", p.Name, err)
			}
			out[p.Name] = value
		case p.Required:
			missing = append(missing, p.Name)
		}
	}
	if len(missing) > 0 {
		return nil, &MissingArgumentsError{t.Name, missing}
	}
	return out, nil
}
