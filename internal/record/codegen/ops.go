package codegen

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// kind is what an op does.
type kind int

const (
	opComment kind = iota
	opGo
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
)

// op is a step as a test makes it.
type op struct {
	Kind   kind
	Tab    string
	On, To page.Identity
	Button string // of a click: left, right or middle
	Count  int
	Value  string
	Files  []string
	// What the op causes beside the page, which a test has to be ready for.
	Opens    []string
	Dialog   *answer
	Download bool
}

type answer struct {
	Accept bool
	Text   string
}

// args are the arguments that any of the tools has.
type args struct {
	URL, Ref, Query, Action, Value, Text, Type, Selector, Contract string

	FilePaths []string
	Accept    bool
	Fields    []struct{ Ref, Query, Value string }
	Submit    string
}

// read makes ops of steps, and lists the variables that stand for secrets.
func read(steps []recorder.Step) (ops []op, given []string, err error) {
	script, err := replay.Generalise(steps, nil, "")
	if err != nil {
		return nil, nil, err
	}
	for _, p := range script.Parameters {
		given = append(given, variable(p.Name))
	}
	for _, s := range script.Steps {
		for _, m := range secrets().FindAllStringSubmatch(string(s.Args), -1) {
			if name := variable(m[1]); !slices.Contains(given, name) {
				given = append(given, name)
			}
		}
		ops = slices.Concat(ops, translate(s, ops))
	}
	return ops, given, nil
}

var (
	secrets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{secret:([A-Za-z0-9_]+)\}`) })
	places  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(?:param|secret):([^{}\s]+)\}`) })
	strange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Z0-9]+`) })
)

// variable is the name of the environment variable of a parameter.
func variable(name string) string {
	return strings.Trim(strange().ReplaceAllString(strings.ToUpper(name), "_"), "_")
}

// translate makes a step's ops. before are those of earlier steps: a dialog or a download belongs to the op that caused it.
func translate(s recorder.Step, before []op) []op {
	comment := func(why string) []op {
		return []op{{Kind: opComment, Tab: s.Tab, Value: fmt.Sprintf("%d %s: %s", s.Seq, s.Tool, why)}}
	}
	if s.Outcome != "ok" && s.Outcome != "" {
		return comment("was refused: " + s.Outcome)
	}
	var a args
	if json.Unmarshal(s.Args, &a) != nil {
		return comment("its arguments cannot be read")
	}
	one := op{Tab: s.Tab, On: target(s, "/ref"), Value: a.Value, Opens: s.Opened, Count: 1, Button: "left"}
	switch toolset.TraitsOf(s.Tool).Replay {
	case toolset.ReplayNavigate:
		one.travel(a.URL, s.URL)
	case toolset.ReplayReload:
		one.Kind = opReload
	case toolset.ReplayOpenTab:
		one.Kind, one.Value, one.Opens = opNewTab, address(a.URL, s.URL), nil
	case toolset.ReplayCloseTab:
		return closing(s)
	case toolset.ReplayClick:
		one.click(a.Action)
	case toolset.ReplayFill:
		one.Kind = opSet
	case toolset.ReplayFillForm:
		return form(s, a)
	case toolset.ReplayInput:
		if !one.computer(a) {
			return comment("a place on the screen, not an element")
		}
	case toolset.ReplayUpload:
		one.Kind, one.Files = opUpload, a.FilePaths
	case toolset.ReplayDrag:
		one.Kind, one.To = opDrag, target(s, "/target_ref")
		if one.To.Role == "" {
			return comment("dropped on a place, not on an element")
		}
	case toolset.ReplayDialog:
		cause := latest(before, func(o op) bool { return o.Kind != opComment })
		if cause == nil {
			return comment("the dialog was open before")
		}
		cause.Dialog = &answer{a.Accept, a.Text}
		return nil
	case toolset.ReplayDownload:
		if cause := latest(before, func(o op) bool { return o.Kind == opClick }); cause != nil {
			cause.Download = true
		}
		return nil
	case toolset.ReplayWait:
		if !one.wait(a) {
			return comment("waited for " + a.Type + " " + oneLine(a.Value))
		}
	case toolset.ReplayAssert:
		if verdict := verdictOf(s); verdict != "pass" {
			return comment("its verdict was " + verdict)
		}
		return asserted(s, a.Contract)
	default:
		return comment("not translated")
	}
	if needsElement(one.Kind) && one.On.Role == "" {
		return comment("its element was not recorded")
	}
	return []op{one}
}

// latest is the last op of a kind, or nil.
func latest(ops []op, fits func(op) bool) *op {
	for i, o := range slices.Backward(ops) {
		if fits(o) {
			return &ops[i]
		}
	}
	return nil
}

// travel goes to an address, or through the tab's history.
func (o *op) travel(to, now string) {
	switch to {
	case "back":
		o.Kind = opBack
	case "forward":
		o.Kind = opForward
	default:
		o.Kind, o.Value = opGo, address(to, now)
	}
}

// address writes an address in full: one that was given without its scheme has that of the page it led to.
func address(given, now string) string {
	u, err := url.Parse(given)
	if err == nil && (strings.Contains(given, "://") || u.Opaque != "" && slices.Contains([]string{"about", "data", "blob"}, u.Scheme)) {
		return given
	}
	if strings.HasPrefix(given, "{param:") {
		return given
	}
	scheme, _, ok := strings.Cut(now, "://")
	if !ok || !strings.HasPrefix(scheme, "http") {
		scheme = "https"
	}
	return scheme + "://" + given
}

// verdictOf is the verdict of a step that judged; one that is not recorded was a pass.
func verdictOf(s recorder.Step) string {
	verdict := struct{ Verdict string }{"pass"}
	_ = json.Unmarshal(s.Verdict, &verdict) // whatever can be read
	return verdict.Verdict
}

func needsElement(k kind) bool {
	return slices.Contains([]kind{opClick, opHover, opSet, opUpload, opDrag}, k)
}

// target is the element of an argument; of one that was described in words, what the answer called it.
func target(s recorder.Step, pointer string) page.Identity {
	if id, ok := s.Targets[pointer]; ok {
		return id
	}
	if pointer == "/ref" {
		id, _ := replay.Acted(s.Summary)
		return id
	}
	return page.Identity{}
}

func (o *op) click(action string) {
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

func (o *op) computer(a args) bool {
	switch a.Action {
	case "type":
		o.Kind, o.Value = opType, a.Text
	case "key":
		o.Kind, o.Value = opPress, keysOf(a.Text)
	case "left_click", "right_click", "middle_click", "double_click", "triple_click", "hover":
		o.click(a.Action)
		return o.On.Role != ""
	default:
		return false
	}
	return true
}

func (o *op) wait(a args) bool {
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

func closing(s recorder.Step) []op {
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

// form is one op for each field, and the click.
func form(s recorder.Step, a args) (out []op) {
	for i, f := range a.Fields {
		at := "/fields/" + strconv.Itoa(i)
		id := cmp.Or(target(s, at+"/ref"), target(s, at+"/query"))
		if id.Role == "" {
			if f.Query == "" {
				continue
			}
			id = page.Identity{Role: "textbox", Name: f.Query}
		}
		out = append(out, op{Kind: opSet, Tab: s.Tab, On: id, Value: f.Value})
	}
	if a.Submit != "" {
		id := target(s, "/submit")
		if id.Role == "" {
			id = page.Identity{Role: "button", Name: a.Submit}
		}
		out = append(out, op{Kind: opClick, Tab: s.Tab, On: id, Opens: s.Opened, Count: 1, Button: "left"})
	}
	return out
}

// asserted are the simple leaves of a contract that passed; the others are told.
func asserted(s recorder.Step, contract string) (out []op) {
	var leaves map[string]json.RawMessage
	_ = json.Unmarshal([]byte(contract), &leaves) // what is no object has no leaves
	for _, name := range slices.Sorted(maps.Keys(leaves)) {
		var text string
		simple := json.Unmarshal(leaves[name], &text) == nil
		switch {
		case name == "url" && simple:
			out = append(out, op{Kind: opWaitURL, Tab: s.Tab, Value: text})
		case name == "dom_text" && simple:
			out = append(out, op{Kind: opWaitText, Tab: s.Tab, Value: text})
		default:
			out = append(out, op{Kind: opComment, Tab: s.Tab, Value: fmt.Sprintf("%d %s: not translated: %s %s", s.Seq, s.Tool, name, oneLine(string(leaves[name])))})
		}
	}
	return out
}
