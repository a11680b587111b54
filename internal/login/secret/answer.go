package secret

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// rewriter redacts questions to the client, and looks at its answers.
func (f *Filler) rewriter() toolkit.Rewriter {
	return toolkit.Rewriter{Text: f.Redact, JSON: func(schema []byte) []byte { return JSON(f.Redact, schema) }, Answer: f.answer}
}

// answer returns an answer without the values of secrets, so that no handler stores or shows what a person
// has typed into a form by mistake. An answer that names a secret is refused: a client could pass a name by
// it into an argument that takes none.
func (f *Filler) answer(key string, in toolkit.InputAnswer) (toolkit.InputAnswer, error) {
	out := toolkit.InputAnswer{Text: f.Redact(in.Text)}
	if in.Reply != nil {
		values, err := f.answerValues(in.Reply.Values)
		if err != nil {
			return toolkit.InputAnswer{}, fmt.Errorf("the answer to %q: %w", key, err)
		}
		out.Reply = &toolkit.Reply{Action: in.Reply.Action, Values: values}
	}
	if in.Sampled != nil {
		sampled := *in.Sampled
		sampled.Content = slices.Clone(sampled.Content)
		for i := range sampled.Content {
			sampled.Content[i].Text = f.Redact(sampled.Content[i].Text)
		}
		out.Sampled = &sampled
	}
	if in.Roots != nil {
		out.Roots = make([]toolkit.Root, len(in.Roots))
		for i, r := range in.Roots {
			out.Roots[i] = toolkit.Root{URI: f.Redact(r.URI), Name: f.Redact(r.Name)}
		}
	}
	if text, err := json.Marshal(out); err != nil || names(text) {
		return toolkit.InputAnswer{}, toolkit.Refuse(toolkit.PolicyDenied, fmt.Sprintf("the answer to %q names a secret, and an answer takes none", key),
			toolkit.Field{Name: "surface", Value: "secret"})
	}
	return out, nil
}

// answerValues redacts the values of a form. A number that contains a secret becomes a text.
func (f *Filler) answerValues(values map[string]any) (map[string]any, error) {
	if values == nil {
		return nil, nil
	}
	text, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	plain := JSON(f.Redact, text)
	if string(plain) == string(text) {
		return values, nil
	}
	var out map[string]any
	if err := json.Unmarshal(plain, &out); err != nil {
		return nil, err
	}
	return out, nil
}

// names reports whether a JSON text has a reference to a secret in a string.
func names(text []byte) bool {
	if !mayHaveReference(text) {
		return false
	}
	var value any
	if json.Unmarshal(text, &value) != nil {
		return true
	}
	return hasReference(value)
}

func hasReference(value any) bool {
	switch value := value.(type) {
	case string:
		return reference().MatchString(value)
	case []any:
		return slices.ContainsFunc(value, hasReference)
	case map[string]any:
		for name, v := range value {
			if reference().MatchString(name) || hasReference(v) {
				return true
			}
		}
	}
	return false
}
