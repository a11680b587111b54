package person

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// Steps stores the steps of a recording. *recorder.Manual implements it.
type Steps interface {
	Append(s recorder.ManualStep)
	// Amend replaces the step that was appended last.
	Amend(s recorder.ManualStep)
	// AddSecrets makes the recording leave out these values from now on.
	AddSecrets(values ...string)
}

// place is the place of an event.
type place struct {
	tab, url string
	document string // distinguishes documents and their frames
}

// lastStep is the latest step, which later events may complete.
type lastStep struct {
	recorder.ManualStep

	kind    string
	element string // document and number of its element; "" for none
	secret  string // what was typed into a field for secrets so far
	chooser bool   // the click opened a file chooser
	isSet   bool
}

// scrollToEnd is as far as pages are scrolled for what they add at their end, in units of 100 pixels.
const scrollToEnd = 200

// script makes steps of events. Each step is stored at its first event, and again when a later event
// completes it: typing goes on, a click becomes a double click, a page is left.
type script struct {
	steps Steps
	now   func() time.Time
	last  lastStep
	count int
}

// append stores a new step.
func (s *script) append(at place, l lastStep) {
	s.learn()
	l.Tab, l.URL, l.StartedAt, l.isSet = at.tab, at.url, s.now(), true
	s.last = l
	s.count++
	s.steps.Append(l.ManualStep)
}

// replace stores another step in place of the last one, which led to it.
func (s *script) replace(l lastStep) {
	l.Tab, l.URL, l.StartedAt, l.OpenedTabs, l.isSet = s.last.Tab, s.last.URL, s.last.StartedAt, s.last.OpenedTabs, true
	s.last = l
	s.steps.Amend(l.ManualStep)
}

func (s *script) amend() { s.steps.Amend(s.last.ManualStep) }

// learn makes the value of a field for secrets known when the person has typed it.
func (s *script) learn() {
	if s.last.secret != "" {
		s.steps.AddSecrets(s.last.secret)
		s.last.secret = ""
	}
}

// handle makes the steps of an event about an element.
func (s *script) handle(at place, e *event) {
	element := ""
	if e.N > 0 {
		element = at.document + "/" + ref(e.N)
	}
	if e.Kind != kindField || s.last.element != element {
		s.learn()
	}
	for range e.Scrolls {
		s.plain(at, recorder.ManualStep{
			Tool: toolset.ToolComputer, Args: map[string]any{"action": "scroll", "scroll_direction": "down", "scroll_amount": scrollToEnd}, Summary: "scrolled down",
		})
	}
	switch e.Kind {
	case kindClick:
		s.click(at, e, element)
	case kindField:
		s.field(at, e, element)
	case kindKey:
		s.key(at, e, element)
	case kindDrag:
		s.drag(at, e)
	case kindChooser:
		s.last.chooser = s.last.kind == kindClick
	}
}

// ref names the element of an argument. A replay puts the ref of its own page in its place.
func ref(n int) string { return "e" + strconv.Itoa(n) }

// onElement returns a step of a tool about an element.
func onElement(tool string, e *event, args map[string]any) recorder.ManualStep {
	args["ref"] = ref(max(e.N, 1))
	return recorder.ManualStep{Tool: tool, Args: args, Targets: map[string]locate.Identity{"/ref": *e.Target}}
}

func (s *script) click(at place, e *event, element string) {
	if e.Target == nil {
		return
	}
	for i := range e.Hovered {
		hover := onElement(toolset.ToolInteract, &event{Target: &e.Hovered[i], N: 1}, map[string]any{"action": "hover"})
		hover.Summary = "hovered " + e.Hovered[i].String()
		s.append(at, lastStep{ManualStep: hover, kind: "hover"})
	}
	if s.isAgain(e, element) {
		s.last.Args["action"], s.last.kind = "double_click", "double"
		s.last.Summary = "double-clicked " + e.Target.String()
		s.amend()
		return
	}
	args := map[string]any{}
	if e.Button != "" {
		args["action"] = e.Button + "_click"
	}
	step, kind := onElement(toolset.ToolInteract, e, args), kindClick
	if len(e.Modifiers) > 0 {
		kind = "chord"
		step = onElement(toolset.ToolComputer, e, map[string]any{"action": "left_click", "text": strings.Join(e.Modifiers, "+")})
	}
	step.Summary = "clicked " + e.Target.String()
	s.append(at, lastStep{ManualStep: step, kind: kind, element: element})
}

// isAgain reports the second click of a double click.
func (s *script) isAgain(e *event, element string) bool {
	return e.Count > 0 && e.Count%2 == 0 && e.Button == "" && len(e.Modifiers) == 0 && s.last.kind == kindClick && s.last.element == element
}

func (s *script) field(at place, e *event, element string) {
	if e.Target == nil {
		return
	}
	here := s.last.isSet && s.last.element == element
	switch {
	case e.Field == fieldFile:
		s.upload(at, e, element)
		return
	case e.Field == fieldText && e.Completed && !e.Secret:
		s.complete(at, e, element, here)
		return
	}
	value := e.text()
	step := onElement(toolset.ToolFormInput, e, map[string]any{"value": value})
	step.Summary = "set " + e.Target.String()
	l := lastStep{ManualStep: step, kind: kindField, element: element}
	if e.Secret {
		l.Secrets, l.secret = map[string]string{"/value": value}, value
	}
	if here && (s.last.kind == kindField || s.last.kind == kindClick) {
		s.replace(l)
		return
	}
	s.append(at, l)
}

// complete types into a field whose page offers values for it: setting the field would choose one.
func (s *script) complete(at place, e *event, element string, here bool) {
	step := recorder.ManualStep{Tool: toolset.ToolComputer, Args: map[string]any{"action": "type", "text": e.text()}, Summary: "typed into " + e.Target.String()}
	l := lastStep{ManualStep: step, kind: "type", element: element}
	if here && s.last.kind == "type" {
		s.replace(l)
		return
	}
	if !here || s.last.kind != kindClick {
		focus := onElement(toolset.ToolInteract, e, map[string]any{})
		focus.Summary = "clicked " + e.Target.String()
		s.append(at, lastStep{ManualStep: focus, kind: kindClick, element: element})
	}
	s.append(at, l)
}

// upload puts files into a field. The browser tells no paths, so a replay asks for them.
func (s *script) upload(at place, e *event, element string) {
	var paths []any
	var asked []string
	for i, name := range e.files() {
		paths = append(paths, name)
		asked = append(asked, "/filePaths/"+strconv.Itoa(i))
	}
	if len(paths) == 0 {
		return
	}
	step := onElement(toolset.ToolFileUpload, e, map[string]any{"filePaths": paths})
	step.Asked = asked
	step.Summary = "chose " + strings.Join(e.files(), ", ") + " for " + e.Target.String()
	l := lastStep{ManualStep: step, kind: kindField, element: element}
	if s.last.isSet && s.last.kind == kindClick && s.last.chooser {
		s.replace(l)
		return
	}
	s.append(at, l)
}

func (s *script) key(at place, e *event, element string) {
	if s.last.kind == kindKey && s.last.element == element && element != "" && s.last.Tab == at.tab && !slices.Contains([]string{"Enter", "Escape"}, e.Keys) {
		s.last.Args["text"] = s.last.Args["text"].(string) + " " + e.Keys
		s.last.Summary += " " + e.Keys
		s.amend()
		return
	}
	if e.Target != nil && s.last.element != element && isTextRole(e.Target.Role) && e.Keys != "Escape" {
		focus := onElement(toolset.ToolInteract, e, map[string]any{})
		focus.Summary = "clicked " + e.Target.String()
		s.append(at, lastStep{ManualStep: focus, kind: kindClick, element: element})
	}
	step := recorder.ManualStep{Tool: toolset.ToolComputer, Args: map[string]any{"action": "key", "text": e.Keys}, Summary: "pressed " + e.Keys}
	s.append(at, lastStep{ManualStep: step, kind: kindKey, element: element})
}

func isTextRole(role string) bool {
	return slices.Contains([]string{"textbox", "searchbox", "combobox", "spinbutton"}, role)
}

func (s *script) drag(at place, e *event) {
	if e.Target == nil || e.To == nil && len(e.Offset) != 2 {
		return
	}
	step := onElement(toolset.ToolDragDrop, e, map[string]any{})
	step.Summary = "dragged " + e.Target.String()
	if e.To != nil {
		step.Args["target_ref"] = "e2"
		step.Args["ref"] = "e1"
		step.Targets["/target_ref"] = *e.To
		step.Summary += " to " + e.To.String()
	} else {
		step.Args["offset"] = []any{e.Offset[0], e.Offset[1]}
	}
	s.append(at, lastStep{ManualStep: step, kind: kindDrag})
}

// moved notes the address to which the page of a tab went after the last step.
func (s *script) moved(tab, url string) {
	s.learn()
	if s.last.isSet && s.last.Tab == tab && s.last.URL != url {
		s.last.URL = url
		s.amend()
	}
}

// opened notes a tab that the last step opened.
func (s *script) opened(tab string) {
	if s.last.isSet && !slices.Contains(s.last.OpenedTabs, tab) {
		s.last.OpenedTabs = append(slices.Clip(s.last.OpenedTabs), tab)
		s.amend()
	}
}

// plain stores a step without an element.
func (s *script) plain(at place, step recorder.ManualStep) {
	s.append(at, lastStep{ManualStep: step, kind: "plain"})
}
