package codegen

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// opKind is the kind of an op.
type opKind int

const (
	opComment opKind = iota
	opNavigate
	opBack
	opForward
	opReload
	opNewTab
	opCloseTab
	opClick
	opHover
	opSet
	opType
	opPress
	opUpload
	opDrag
	opWaitText
	opWaitURL
	opWaitSelector
	opCheck
	opScroll
)

// op is a step as a test makes it.
type op struct {
	Kind               opKind
	Tab                string
	Target, DropTarget locate.Identity
	Button             string // of a click: left, right or middle
	Count              int
	Value              string
	Selector, Check    string // of an assertion: about which elements, and what
	Files              []string
	DX, DY             int // of a scroll, in pixels
	// What the op causes beside the page, which a test has to be ready for.
	OpenedTabs     []string
	Dialogs        []dialogAnswer // in the order in which they open
	StartsDownload bool
}

type dialogAnswer struct {
	Accept bool
	Text   string
}

// stepArguments are the arguments that any of the tools has.
type stepArguments struct {
	URL, Ref, Query, Action, Value, Text, Type, Selector, Contract string

	ScrollDirection string  `json:"scroll_direction"`
	ScrollAmount    float64 `json:"scroll_amount"` // in units of 100 pixels; 0 is the default of 3

	FilePaths []string
	Accept    bool
	Fields    []struct{ Ref, Query, Value string }
	Submit    string
}

// readSteps makes ops of steps, and lists the variables that stand for secrets.
func readSteps(steps []recorder.Step, m marks) (ops []op, given []string, err error) {
	script, err := replay.Generalise(steps, nil, "")
	if err != nil {
		return nil, nil, err
	}
	for _, p := range script.Parameters {
		given = append(given, variableName(p.Name))
	}
	for i, s := range script.Steps {
		named, err := m.set(&s, steps[i].MaskedPointers)
		if err != nil {
			return nil, nil, fmt.Errorf("step %d: read its arguments: %w", s.Seq, err)
		}
		for _, name := range named {
			if !slices.Contains(given, name) {
				given = append(given, name)
			}
		}
		ops = slices.Concat(ops, translate(s, ops, m))
	}
	return ops, given, nil
}

var (
	secretPattern  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{secret:([A-Za-z0-9_]+)\}`) })
	nonNamePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Z0-9]+`) })
)

// variableName is the name of the environment variable of a parameter.
func variableName(name string) string {
	return strings.Trim(nonNamePattern().ReplaceAllString(strings.ToUpper(name), "_"), "_")
}

// translate returns the ops of a step. before holds the ops of earlier steps, to which a dialog or
// a download belongs.
func translate(s recorder.Step, before []op, m marks) []op {
	comment := func(why string) []op {
		return []op{{Kind: opComment, Tab: s.Tab, Value: fmt.Sprintf("%d %s: %s", s.Seq, s.Tool, why)}}
	}
	if s.Outcome != "ok" && s.Outcome != "" {
		return comment("was refused: " + s.Outcome)
	}
	var a stepArguments
	if json.Unmarshal(s.Args, &a) != nil {
		return comment("its arguments cannot be read")
	}
	switch toolset.TraitsOf(s.Tool).Replay {
	case toolset.ReplayCloseTab:
		return closeTabOps(s)
	case toolset.ReplayFillForm:
		return formOps(s, a)
	case toolset.ReplayDialog:
		cause := lastOp(before, func(o op) bool { return o.Kind != opComment })
		if cause == nil {
			return comment("the dialog was open before")
		}
		cause.Dialogs = append(cause.Dialogs, dialogAnswer{a.Accept, a.Text})
		return nil
	case toolset.ReplayDownload:
		if cause := lastOp(before, func(o op) bool { return o.Kind == opClick }); cause != nil {
			cause.StartsDownload = true
		}
		return nil
	case toolset.ReplayAssert:
		if verdict := recordedVerdict(s); verdict != "pass" {
			return comment("its verdict was " + verdict)
		}
		return assertionOps(s, a.Contract)
	}
	o, problem := singleOp(s, a, m)
	if problem != "" {
		return comment(problem)
	}
	return []op{o}
}

// singleOp translates a step that is one op. It returns the text of a comment where a test cannot
// repeat the step.
func singleOp(s recorder.Step, a stepArguments, m marks) (o op, problem string) {
	o = op{Tab: s.Tab, Target: targetIdentity(s, "/ref"), Value: a.Value, OpenedTabs: s.OpenedTabs, Count: 1, Button: "left"}
	switch toolset.TraitsOf(s.Tool).Replay {
	case toolset.ReplayNavigate:
		o.navigateTo(a.URL, s.URL, m)
	case toolset.ReplayReload:
		o.Kind = opReload
	case toolset.ReplayOpenTab:
		o.Kind, o.Value, o.OpenedTabs = opNewTab, absoluteURL(a.URL, s.URL, m), nil
	case toolset.ReplayClick:
		o.readClick(a.Action)
	case toolset.ReplayFill:
		o.Kind = opSet
	case toolset.ReplayInput:
		if !o.readInput(a) {
			return o, "a place on the screen, not an element"
		}
	case toolset.ReplayUpload:
		o.Kind, o.Files = opUpload, a.FilePaths
	case toolset.ReplayDrag:
		o.Kind, o.DropTarget = opDrag, targetIdentity(s, "/target_ref")
		if o.DropTarget.Role == "" {
			return o, "dropped on a place, not on an element"
		}
	case toolset.ReplayWait:
		if !o.readWait(a) {
			return o, "waited for " + a.Type + " " + oneLine(m.hide(a.Value))
		}
	default:
		return o, "not translated"
	}
	if needsElement(o.Kind) && o.Target.Role == "" {
		return o, "its element was not recorded"
	}
	return o, ""
}

// lastOp returns the last op that fits, or nil.
func lastOp(ops []op, fits func(op) bool) *op {
	for i, o := range slices.Backward(ops) {
		if fits(o) {
			return &ops[i]
		}
	}
	return nil
}

// navigateTo goes to an address, or through the tab's history.
func (o *op) navigateTo(to, now string, m marks) {
	switch to {
	case "back":
		o.Kind = opBack
	case "forward":
		o.Kind = opForward
	default:
		o.Kind, o.Value = opNavigate, absoluteURL(to, now, m)
	}
}

// absoluteURL writes an address in full: one that was given without its scheme has that of the page
// it led to.
func absoluteURL(given, now string, m marks) string {
	u, err := url.Parse(given)
	if err == nil && (strings.Contains(given, "://") || u.Opaque != "" && slices.Contains([]string{"about", "data", "blob"}, u.Scheme)) {
		return given
	}
	if strings.HasPrefix(given, string(m)) {
		return given
	}
	scheme, _, ok := strings.Cut(now, "://")
	if !ok || !strings.HasPrefix(scheme, "http") {
		scheme = "https"
	}
	return scheme + "://" + given
}

// recordedVerdict returns the verdict of an assertion; "pass" when none was recorded.
func recordedVerdict(s recorder.Step) string {
	verdict := struct{ Verdict string }{"pass"}
	_ = json.Unmarshal(s.Verdict, &verdict) // whatever can be read
	return verdict.Verdict
}

func needsElement(k opKind) bool {
	return slices.Contains([]opKind{opClick, opHover, opSet, opUpload, opDrag}, k)
}

// targetIdentity returns the element of an argument; for a call by query the one that its result
// names.
func targetIdentity(s recorder.Step, pointer string) locate.Identity {
	if id, ok := s.Targets[pointer]; ok {
		return id
	}
	if pointer == "/ref" {
		id, _ := replay.ActedElement(s.Summary)
		return id
	}
	return locate.Identity{}
}

func (o *op) readClick(action string) {
	o.Kind = opClick
	switch action {
	case "hover":
		o.Kind = opHover
	case "double_click":
		o.Count = 2
	case "triple_click":
		o.Count = 3
	case "right_click":
		o.Button = "right"
	case "middle_click":
		o.Button = "middle"
	}
}

func (o *op) readInput(a stepArguments) bool {
	switch a.Action {
	case "type":
		o.Kind, o.Value = opType, a.Text
	case "key":
		o.Kind, o.Value = opPress, normalizeKeys(a.Text)
	case "scroll":
		o.readScroll(a)
		return a.Ref == ""
	case "left_click", "right_click", "middle_click", "double_click", "triple_click", "hover":
		o.readClick(a.Action)
		return o.Target.Role != ""
	default:
		return false
	}
	return true
}

func (o *op) readScroll(a stepArguments) {
	distance := int(100 * cmp.Or(a.ScrollAmount, 3))
	o.Kind = opScroll
	switch a.ScrollDirection {
	case "up":
		o.DY = -distance
	case "left":
		o.DX = -distance
	case "right":
		o.DX = distance
	default:
		o.DY = distance
	}
}

func (o *op) readWait(a stepArguments) bool {
	o.Value = a.Value
	switch a.Type {
	case "text":
		o.Kind = opWaitText
	case "selector":
		o.Kind = opWaitSelector
	case "url_match":
		o.Kind = opWaitURL
		return !strings.HasPrefix(a.Value, "/") || !strings.HasSuffix(a.Value, "/")
	default:
		return false
	}
	return true
}

func closeTabOps(s recorder.Step) []op {
	var a struct {
		TabID  string   `json:"tabId"`
		TabIDs []string `json:"tabIds"`
	}
	_ = json.Unmarshal(s.Args, &a) // it has been read once
	var out []op
	for _, id := range append(a.TabIDs, a.TabID) {
		if id != "" {
			out = append(out, op{Kind: opCloseTab, Tab: id})
		}
	}
	return out
}

// formOps returns one op for each field, and one for the click that submits.
func formOps(s recorder.Step, a stepArguments) (out []op) {
	for i, f := range a.Fields {
		at := "/fields/" + strconv.Itoa(i)
		id := cmp.Or(targetIdentity(s, at+"/ref"), targetIdentity(s, at+"/query"))
		if id.Role == "" {
			if f.Query == "" {
				continue
			}
			id = locate.Identity{Role: "textbox", Name: f.Query}
		}
		out = append(out, op{Kind: opSet, Tab: s.Tab, Target: id, Value: f.Value})
	}
	if a.Submit != "" {
		id := targetIdentity(s, "/submit")
		if id.Role == "" {
			id = locate.Identity{Role: "button", Name: a.Submit}
		}
		out = append(out, op{Kind: opClick, Tab: s.Tab, Target: id, OpenedTabs: s.OpenedTabs, Count: 1, Button: "left"})
	}
	return out
}
