package gen

import (
	"encoding/json"
	"errors"

	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/remote"
)

// Offered returns the lists of a server of the manifest once every tier is revealed: the definitions of its tools
// as they are sent, its prompts and its resources. Tools that an operator must ask for are not in them.
func Offered(src Source) (*remote.Server, error) {
	set, diags := Lint(src)
	if set == nil {
		if len(diags) > 0 {
			return nil, errors.New(diags[0].Pos.String() + ": " + diags[0].Message)
		}
		return nil, errors.New("the manifest has problems")
	}
	record := breaking.Record(set, releasedVersion(src))
	out, err := record.Offered() // for what the frozen scopes promise of prompts and resources
	if err != nil {
		return nil, err
	}
	out.Tools = []remote.Item{}
	for _, t := range set.Tools {
		if t.Capability != nil && t.Capability.OptIn {
			continue
		}
		raw, err := withOlderNames(schema.Definition(t), t.Was)
		if err != nil {
			return nil, err
		}
		out.Tools = append(out.Tools, remote.Item{Name: t.Name, Raw: raw})
	}
	return out, nil
}

// withOlderNames adds to a definition the names that calls may use too.
func withOlderNames(definition []byte, older []string) (json.RawMessage, error) {
	if len(older) == 0 {
		return definition, nil
	}
	var members map[string]any
	if err := json.Unmarshal(definition, &members); err != nil {
		return nil, err
	}
	members["_meta"] = map[string]any{"toolgen/was": older}
	return json.Marshal(members)
}
