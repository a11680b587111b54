package codegen

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// marks tell the places of variables from text: a variable stands between two of them. They are made anew
// for each export, so that no recorded text has any: what a page or a person calls {param:NAME} is text.
type marks string

func newMarks() marks { return marks("\x00" + rand.Text() + "\x00") }

func (m marks) variable(name string) string { return string(m) + name + string(m) }

// hide returns a text with a placeholder for each variable, for a comment.
func (m marks) hide(text string) string { return strings.ReplaceAll(text, string(m), "…") }

// split returns the parts of a text; those with an odd index are names of variables.
func (m marks) split(text string) []string { return strings.Split(text, string(m)) }

// set puts variables into the arguments of a step: for those that were masked, and for the secrets that
// the manifest lets an argument name. It returns the names of the latter.
func (m marks) set(s *recorder.Step, masked []string) (named []string, err error) {
	var args any
	if err := json.Unmarshal(s.Args, &args); err != nil {
		return nil, err
	}
	traits := toolset.TraitsOf(s.Tool)
	args = argument.ReplaceTexts(args, func(at, text string) string {
		switch {
		case slices.Contains(masked, at): // {param:NAME}, as a whole
			return m.variable(variableName(strings.TrimSuffix(strings.TrimPrefix(text, "{param:"), "}")))
		case traits.Secret(at) == "":
			return text
		}
		return secretPattern().ReplaceAllStringFunc(text, func(reference string) string {
			name := variableName(secretPattern().FindStringSubmatch(reference)[1])
			named = append(named, name)
			return m.variable(name)
		})
	})
	if s.Args, err = json.Marshal(args); err != nil {
		return nil, fmt.Errorf("write the arguments: %w", err)
	}
	return named, nil
}
