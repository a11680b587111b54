package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/text"
)

// Parameter is a value that each replay sets.
type Parameter struct {
	Name string `json:"name"`
	// Default is the recorded value; nil for a secret, which has no default.
	Default *string `json:"default,omitempty"`
}

// MissingParametersError names the parameters without a value.
type MissingParametersError struct{ Names []string }

func (e *MissingParametersError) Error() string {
	return "no value for parameter " + strings.Join(e.Names, ", ") + "; give each, or {secret:NAME}"
}

// Code returns fault.InvalidArguments.
func (e *MissingParametersError) Code() codes.Code { return codes.InvalidArguments }

// Fields returns the names without a value.
func (e *MissingParametersError) Fields() []fault.Field {
	return []fault.Field{{Name: "missing", Value: e.Names}}
}

// UnknownParametersError names the given parameters that a script does not have.
type UnknownParametersError struct{ Names, Known []string }

func (e *UnknownParametersError) Error() string {
	if len(e.Known) == 0 {
		return "there is no parameter " + strings.Join(e.Names, ", ") + "; there are none"
	}
	return "there is no parameter " + strings.Join(e.Names, ", ") + "; there are " + strings.Join(e.Known, ", ")
}

// Code returns fault.InvalidArguments.
func (e *UnknownParametersError) Code() codes.Code { return codes.InvalidArguments }

// Fields returns the names that the script has.
func (e *UnknownParametersError) Fields() []fault.Field {
	return []fault.Field{{Name: "parameters", Value: e.Known}}
}

// placeholder returns the text that stands for a parameter's value.
func placeholder(name string) string { return "{param:" + name + "}" }

// placeholderPattern is compiled at its first use, because most runs of the program replay nothing.
var placeholderPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{param:([^{}\s]+)\}`) })

// maxNameBytes bounds a parameter's name, in bytes.
const maxNameBytes = 64

// isName reports whether a name is letters, digits, _ and -, and starts with neither a digit nor -.
func isName(name string) bool {
	for i, c := range []byte(name) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != "" && len(name) <= maxNameBytes
}

// minInnerBytes is the least length of a value that is replaced inside other texts. A shorter one
// must be a whole argument.
const minInnerBytes = 3

// Generalise returns a script of recorded steps. Masked arguments become required parameters. The
// values in named become parameters of that name in arguments, in the contract and in the names of
// elements.
func Generalise(steps []recorder.Step, named map[string]string, contract string) (Script, error) {
	exchange := placeholderReplacer(named)
	s := Script{Contract: replaceInContract(contract, exchange)}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		value := named[name]
		s.Parameters = append(s.Parameters, Parameter{Name: name, Default: &value})
	}
	for _, step := range steps {
		args, err := decodeArguments(step.Args)
		if err != nil {
			return s, fmt.Errorf("step %d: read its arguments: %w", step.Seq, err)
		}
		replaceInArguments(args, exchange)
		for _, pointer := range step.MaskedPointers {
			name := s.parameterName(step, pointer)
			s.Parameters = append(s.Parameters, Parameter{Name: name})
			if err := setValue(args, pointer, placeholder(name)); err != nil {
				return s, fmt.Errorf("step %d: %w", step.Seq, err)
			}
		}
		step.MaskedPointers = nil
		if step.Args, err = json.Marshal(args); err != nil {
			return s, err
		}
		step.Targets = replaceInTargets(step.Targets, exchange)
		s.Steps = append(s.Steps, step)
	}
	return s, nil
}

// parameterName returns a new name for the parameter of a masked argument: that of its field, or
// one of the step's number.
func (s *Script) parameterName(step recorder.Step, pointer string) string {
	base := argument.ParameterName(FieldName(step.Targets, pointer))
	if base == "" {
		base = "step" + strconv.Itoa(step.Seq) + "_" + argument.ParameterName(pointer)
	}
	name := base
	for n := 2; slices.ContainsFunc(s.Parameters, func(p Parameter) bool { return p.Name == name }); n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	return name
}

// FieldName returns the name of the element that stands nearest to the argument at a JSON pointer: beside
// it, or beside the list that it is in. It is "" where no element with a name is near.
func FieldName(targets map[string]locate.Identity, pointer string) string {
	for at := strings.LastIndexByte(pointer, '/'); at >= 0; at = strings.LastIndexByte(pointer, '/') {
		pointer = pointer[:at]
		if name := cmp.Or(targets[pointer+"/ref"].Name, targets[pointer+"/query"].Name); name != "" {
			return name
		}
	}
	return ""
}

// placeholderReplacer returns a function that replaces values by placeholders in one pass, because
// a value may occur in the name of a placeholder. Of overlapping values it replaces the longest.
func placeholderReplacer(named map[string]string) func(string) string {
	whole, pairs := map[string]string{}, []string{}
	for _, name := range slices.SortedFunc(maps.Keys(named), func(a, b string) int {
		return cmp.Or(len(named[b])-len(named[a]), strings.Compare(a, b))
	}) {
		value := named[name]
		if _, taken := whole[value]; taken || value == "" {
			continue
		}
		if whole[value] = placeholder(name); len(value) >= minInnerBytes {
			pairs = append(pairs, value, placeholder(name))
		}
	}
	inside := strings.NewReplacer(pairs...)
	return func(text string) string {
		if at, ok := whole[text]; ok {
			return at
		}
		return inside.Replace(text)
	}
}

// replaceInArguments replaces every string in the arguments of a step, in place.
func replaceInArguments(args map[string]any, exchange func(string) string) {
	contract, judges := args["contract"].(string)
	if maps.Copy(args, replaceTexts(args, exchange)); judges {
		args["contract"] = replaceInContract(contract, exchange)
	}
}

func replaceTexts(args map[string]any, exchange func(string) string) map[string]any {
	out, _ := argument.ReplaceTexts(args, func(_, text string) string { return exchange(text) }).(map[string]any)
	return out
}

// replaceInContract replaces the strings in a contract. The contract is JSON in a string, so new
// values are escaped.
func replaceInContract(contract string, exchange func(string) string) string {
	tree, err := decodeArguments(json.RawMessage(contract))
	if err != nil || contract == "" {
		return exchange(contract)
	}
	changed := false
	out, err := json.Marshal(replaceTexts(tree, func(text string) string {
		out := exchange(text)
		changed = changed || out != text
		return out
	}))
	if err != nil || !changed {
		return contract
	}
	return string(out)
}

// parameterValues returns the value of every parameter: the given one, or its default.
func (s Script) parameterValues(params map[string]string) (map[string]string, error) {
	values, known := map[string]string{}, []string{}
	var missing, unknown []string
	for _, p := range s.Parameters {
		known = append(known, p.Name)
		value, ok := params[p.Name]
		switch {
		case ok:
			values[p.Name] = value
		case p.Default != nil:
			values[p.Name] = *p.Default
		default:
			missing = append(missing, p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	switch {
	case len(unknown) > 0:
		return nil, &UnknownParametersError{Names: unknown, Known: known}
	case len(missing) > 0:
		return nil, &MissingParametersError{Names: missing}
	}
	return values, nil
}

// parameterRedactor returns a function that removes the given values of masked arguments, in every
// encoding, from a text.
func (s Script) parameterRedactor(params map[string]string) func(string) string {
	var each []*strings.Replacer
	longest := slices.SortedStableFunc(slices.Values(s.Parameters), func(a, b Parameter) int { return len(params[b.Name]) - len(params[a.Name]) })
	for _, p := range longest {
		if value := params[p.Name]; p.Default == nil && len(value) >= minInnerBytes && !strings.HasPrefix(value, "{secret:") {
			each = append(each, secret.Replacer([]string{value}, placeholder(p.Name)), strings.NewReplacer(value, placeholder(p.Name)))
		}
	}
	return func(text string) string {
		for _, one := range each {
			text = one.Replace(text)
		}
		return text
	}
}

// ParseParameters parses name=value texts. The error holds every problem.
func ParseParameters(assignments []string) (map[string]string, error) {
	out := map[string]string{}
	var problems []error
	for _, assignment := range assignments {
		name, value, ok := strings.Cut(assignment, "=")
		_, twice := out[name]
		switch {
		case !ok:
			problems = append(problems, fault.New(codes.Failed, fmt.Sprintf("%q is no name=value", text.ClipRunes(assignment, 40))))
		case !isName(name):
			problems = append(problems, fault.New(codes.Failed, fmt.Sprintf("%q is no name: letters, digits, _ and -", text.ClipRunes(name, 40))))
		case twice:
			problems = append(problems, fault.New(codes.Failed, fmt.Sprintf("%s is given twice", name)))
		}
		out[name] = value
	}
	return out, errors.Join(problems...)
}

// valueReplacer returns a function that replaces placeholders by values.
func valueReplacer(values map[string]string) func(string) string {
	return func(text string) string {
		return placeholderPattern().ReplaceAllStringFunc(text, func(at string) string {
			if value, ok := values[placeholderPattern().FindStringSubmatch(at)[1]]; ok {
				return value
			}
			return at
		})
	}
}

// fillSteps returns steps of the script with values in place of placeholders. Values without a default,
// which are secrets, go into arguments alone: a page that calls an element {param:NAME} gets none.
func (s Script) fillSteps(recorded []recorder.Step, values map[string]string) ([]recorder.Step, error) {
	exchange, shown := valueReplacer(values), map[string]string{}
	for _, p := range s.Parameters {
		if p.Default != nil {
			shown[p.Name] = values[p.Name]
		}
	}
	exchangeShown := valueReplacer(shown)
	steps := slices.Clone(recorded)
	for i := range steps {
		args, err := decodeArguments(toolset.TraitsOf(steps[i].Tool).Normalize(steps[i].Args))
		if err != nil {
			return nil, fmt.Errorf("step %d: read its arguments: %w", steps[i].Seq, err)
		}
		replaceInArguments(args, exchange)
		if steps[i].Args, err = json.Marshal(args); err != nil {
			return nil, err
		}
		steps[i].Targets = replaceInTargets(steps[i].Targets, exchangeShown)
	}
	return steps, nil
}

func replaceInTargets(all map[string]locate.Identity, exchange func(string) string) map[string]locate.Identity {
	if all == nil {
		return nil
	}
	out := make(map[string]locate.Identity, len(all))
	for pointer, id := range all {
		id.Name, id.Text, id.Label, id.Leads = exchange(id.Name), exchange(id.Text), exchange(id.Label), exchange(id.Leads)
		out[pointer] = id
	}
	return out
}
