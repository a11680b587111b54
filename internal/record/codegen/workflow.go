package codegen

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// Workflow writes a workflow of this server's own tools. What was set in fields and the first address are
// parameters with the recorded value as default; secrets are parameters without one. Elements are described
// by role and name. Steps that need another description are comments.
func Workflow(rec recorder.Recording, steps []recorder.Step) ([]byte, error) {
	script, err := replay.Generalise(steps, nil, "")
	if err != nil {
		return nil, err
	}
	w := workflowWriter{known: map[string]bool{}}
	for _, p := range script.Parameters {
		w.addParameter(p.Name, yaml.MapSlice{{Key: "type", Value: "string"}, {Key: "required", Value: true}})
	}
	for _, s := range script.Steps {
		if err := w.addStep(s); err != nil {
			return nil, fmt.Errorf("step %d: %w", s.Seq, err)
		}
	}
	label := oneLine(rec.Label)
	if label == "" {
		label = rec.ID
	}
	tree := yaml.MapSlice{{Key: workflowName(label), Value: yaml.MapSlice{
		{Key: "description", Value: "Recorded: " + strings.ReplaceAll(label, "{{", "{ {") + "."}, {Key: "parameters", Value: w.parameters}, {Key: "steps", Value: w.steps},
	}}}
	out, err := yaml.MarshalWithOptions(tree, yaml.UseJSONMarshaler())
	if err != nil {
		return nil, fmt.Errorf("write the workflow of recording %s: %w", rec.ID, err)
	}
	head := "# Written from recording " + rec.ID + ". Run it with: callsheet workflow run " + workflowName(label) + " --workflows FILE\n"
	for _, problem := range w.problems {
		head += leftOut + problem + "\n"
	}
	return append([]byte(head), out...), nil
}

// leftOut begins the comment on a step that a workflow does not have.
const leftOut = "# Left out: "

// LeftOut returns what a written workflow says of the steps that it does not have.
func LeftOut(workflow []byte) (problems []string) {
	for line := range strings.Lines(string(workflow)) {
		if problem, ok := strings.CutPrefix(line, leftOut); ok {
			problems = append(problems, strings.TrimSuffix(problem, "\n"))
		}
	}
	return problems
}

// workflowWriter collects the parts of a workflow.
type workflowWriter struct {
	parameters yaml.MapSlice
	steps      []yaml.MapSlice
	known      map[string]bool // names of parameters
	problems   []string
	hasAddress bool
}

func (w *workflowWriter) addParameter(name string, schema yaml.MapSlice) string {
	unique := name
	for n := 2; w.known[unique]; n++ {
		unique = name + "_" + strconv.Itoa(n)
	}
	w.known[unique] = true
	w.parameters = append(w.parameters, yaml.MapItem{Key: unique, Value: schema})
	return unique
}

// withDefault adds a parameter for a recorded value and returns its template.
func (w *workflowWriter) withDefault(name, value string) string {
	return "{{ " + w.addParameter(name, yaml.MapSlice{{Key: "type", Value: "string"}, {Key: "default", Value: value}}) + " }}"
}

var (
	wholeParameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{param:([^{}\s]+)\}$`) })
	notName        = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9]+`) })
)

// workflowName makes a name of letters, digits and _ of a text. It is the name of no tool of this server, since a workflow
// of that name is not offered.
func workflowName(text string) string {
	name := strings.Trim(notName().ReplaceAllString(strings.ToLower(text), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' || toolset.TraitsOf(name).Replay != "" {
		name = "recorded_" + name
	}
	return strings.Trim(name[:min(len(name), 60)], "_")
}

// addStep adds the call of a step, or says why it is left out.
func (w *workflowWriter) addStep(s recorder.Step) error {
	kind := toolset.TraitsOf(s.Tool).Replay
	leave := func(why string) {
		w.problems = append(w.problems, fmt.Sprintf("step %d, %s: %s", s.Seq, s.Tool, oneLine(why)))
	}
	switch {
	case s.Outcome != "ok" && s.Outcome != "":
		leave("it was refused: " + s.Outcome)
		return nil
	case kind == toolset.ReplaySkip:
		leave("it changes nothing")
		return nil
	}
	var args map[string]any
	if err := yaml.Unmarshal(s.Args, &args); err != nil { // JSON is YAML, whose whole numbers stay whole
		return fmt.Errorf("read its arguments: %w", err)
	}
	if problem := w.describe(&s, args); problem != "" {
		leave(problem)
		return nil
	}
	if address, ok := args["url"].(string); ok && !w.hasAddress && strings.Contains(address, "://") {
		w.hasAddress, args["url"] = true, w.withDefault("url", address)
	}
	if value, ok := args["value"].(string); ok && kind == toolset.ReplayFill && !strings.HasPrefix(value, "{{ ") && !strings.HasPrefix(value, "{secret:") {
		args["value"] = w.withDefault(workflowName(cmp.Or(s.Targets["/ref"].Name, s.Targets["/query"].Name)), value)
	}
	if problem := w.addTab(&s, args); problem != "" {
		leave(problem)
		return nil
	}
	id := "s" + strconv.Itoa(s.Seq)
	step := yaml.MapSlice{{Key: "id", Value: id}, {Key: "call", Value: "callsheet:" + s.Tool}, {Key: "args", Value: args}}
	if len(s.OpenedTabs) == 1 {
		step = append(step, yaml.MapItem{Key: "set", Value: yaml.MapSlice{{Key: s.OpenedTabs[0], Value: `{{ ` + id + `.text | regex("opened tab (t[0-9]+)") }}`}}})
	}
	if kind == toolset.ReplayAssert {
		step = append(step, yaml.MapItem{Key: "expect", Value: `result.structuredContent.verdict == "` + recordedVerdict(s) + `"`})
	}
	w.steps = append(w.steps, step)
	return nil
}

// describe replaces refs by descriptions, and placeholders by templates. It says what cannot be described.
func (w *workflowWriter) describe(s *recorder.Step, args map[string]any) (problem string) {
	traits := toolset.TraitsOf(s.Tool)
	for name, value := range args {
		if text, ok := value.(string); ok {
			if m := wholeParameter().FindStringSubmatch(text); m != nil {
				args[name] = "{{ " + m[1] + " }}"
			} else if strings.Contains(text, "{{") && (name != "value" || traits.Replay != toolset.ReplayFill) { // that is a default
				return "its text is a template"
			}
		}
		for i, item := range listOf(value) {
			if m := wholeParameter().FindStringSubmatch(fmt.Sprint(item)); m != nil {
				listOf(value)[i] = "{{ " + m[1] + " }}"
			}
		}
	}
	for pointer, id := range s.Targets {
		if traits.Role(pointer) != toolset.RoleRef { // words and selectors stay as they are
			continue
		}
		query := strings.TrimSuffix(pointer, "ref") + "query"
		if traits.Role(query) != toolset.RoleQuery {
			return "the tool takes no description of an element"
		}
		said := describeInWords(id)
		if said == "" || strings.Contains(said, "{{") {
			return "its element has no name"
		}
		object, name := ownerOf(args, pointer)
		if object == nil {
			return "its arguments have another form"
		}
		delete(object, name)
		object[query[strings.LastIndexByte(query, '/')+1:]] = said
	}
	return ""
}

// ownerOf returns the object that has the member at a JSON pointer, and the member's name; nil where there is none.
func ownerOf(args map[string]any, pointer string) (object map[string]any, name string) {
	path := strings.Split(pointer[1:], "/")
	var at any = args
	for _, key := range path[:len(path)-1] {
		switch in := at.(type) {
		case map[string]any:
			at = in[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return nil, ""
			}
			at = in[i]
		}
	}
	object, _ = at.(map[string]any)
	return object, path[len(path)-1]
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

// describeInWords describes an element as tools find it: by name, and by role where that is a word of people.
func describeInWords(id locate.Identity) string {
	name := id.Name
	if name == "" {
		name = id.Text
	}
	if name != "" && id.Label == "" && slices.Contains([]string{"button", "link", "checkbox", "radio", "tab", "menuitem"}, id.Role) {
		name += " " + id.Role
	}
	if name != "" && id.Label != "" {
		name += " " + id.Label // words that stand beside it
	}
	return name
}

// addTab names the tab of a step by the variable that an earlier step set.
func (w *workflowWriter) addTab(s *recorder.Step, args map[string]any) (problem string) {
	if s.Tab == "" || s.Tab == "t1" {
		return ""
	}
	opened := slices.ContainsFunc(w.steps, func(step yaml.MapSlice) bool {
		return slices.ContainsFunc(step, func(item yaml.MapItem) bool {
			set, ok := item.Value.(yaml.MapSlice)
			return item.Key == "set" && ok && set[0].Key == s.Tab
		})
	})
	if !opened {
		return "no step before tells the id of its tab"
	}
	for _, role := range toolset.TraitsOf(s.Tool).Roles {
		if role.Role == toolset.RoleTab && strings.Count(role.Path, "/") == 1 {
			args[role.Path[1:]] = "{{ " + s.Tab + " }}"
			break
		}
	}
	return ""
}
