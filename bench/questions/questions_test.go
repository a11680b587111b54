package questions

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
)

//go:embed questions.json
var questionsJSON []byte

// question is something that a developer asks of a page, with the steps that each server needs for it
// and the facts that an answer should have.
type question struct {
	Name      string `json:"name"`
	Callsheet []step `json:"callsheet"`
	DevTools  []step `json:"devtools"`
	Facts     []fact `json:"facts"`
}

// step is one call. Arguments may name {site} and {id}, the latest value that a capture found.
type step struct {
	Tool     string         `json:"tool"`
	Args     map[string]any `json:"args"`
	Capture  expression     `json:"capture"`  // finds {id}
	Until    expression     `json:"until"`    // the step is repeated until its answer matches
	Prepares bool           `json:"prepares"` // it is not counted
}

// fact is something that an answer should have, in whatever words.
type fact struct {
	Label   string     `json:"label"`
	Pattern expression `json:"pattern"` // in any case, over lines
}

// expression is a regular expression, nil where the text is empty.
type expression struct{ *regexp.Regexp }

// UnmarshalText implements encoding.TextUnmarshaler.
func (e *expression) UnmarshalText(text []byte) (err error) {
	e.Regexp, err = regexp.Compile(string(text))
	return err
}

// questions returns what is asked.
func questions() (out []question, err error) {
	if err := json.Unmarshal(questionsJSON, &out); err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	for _, q := range out {
		for i, f := range q.Facts {
			q.Facts[i].Pattern = expression{regexp.MustCompile("(?is)" + f.Pattern.String())}
		}
	}
	return out, nil
}
