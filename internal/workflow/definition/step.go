package definition

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// maxSteps bounds the steps of one list.
const maxSteps = 200

// steps reads a list of steps. prefix starts their paths.
func (r *reader) steps(dst *[]*Step, prefix string) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Kind != yamltree.ListNode || len(n.Items) == 0 {
			r.Wrong(key, n, "a list of steps")
			return
		}
		if len(n.Items) > maxSteps {
			r.Errorf(n.Items[maxSteps].Pos, ruleStep, "more than %d steps", maxSteps)
			return
		}
		for i, item := range n.Items {
			if s := r.readStep(item, prefix+strconv.Itoa(i+1)); s != nil {
				*dst = append(*dst, s)
			}
		}
	}
}

func (r *reader) readStep(n *yamltree.Node, path string) *Step {
	s := &Step{Pos: n.Pos, Path: path, OnError: Stop}
	what := "step " + path
	if n.Kind != yamltree.MappingNode {
		r.Errorf(n.Pos, ruleStep, "%s must be a mapping, not %s", what, n.Kind).Hint = "begin it with call: alias:tool"
		return nil
	}
	onError := string(Stop)
	var id, saveAs yamltree.Text
	r.Fields(n, what, map[string]yamltree.NodeField{
		"id": r.stepName(&id), "saveAs": r.stepName(&saveAs),
		"save_as": func(key yamltree.Text, n *yamltree.Node) {
			r.diags.Warnf(key.Pos, ruleOplink, "Oplink ignored save_as; here it is saveAs")
			r.stepName(&saveAs)(key, n)
		},
		"description": r.text(&s.Description),
		"confirm":     func(_ yamltree.Text, m *yamltree.Node) { s.Confirm = r.readConfirm(n, m) },
		"fields":      ignore, "default": ignore, // read with confirm
		"call": r.call(s),
		"args": func(key yamltree.Text, n *yamltree.Node) {
			if n.Kind != yamltree.MappingNode {
				r.Wrong(key, n, "a mapping")
				return
			}
			s.Args = r.readValue(n)
		},
		"saveTo":         r.saveTo(s),
		"parallel":       r.steps(&s.Parallel, path+"."),
		"maxConcurrency": r.Count(&s.MaxConcurrency),
		"forEach":        func(_ yamltree.Text, n *yamltree.Node) { s.ForEach = r.readValue(n) },
		"steps":          r.steps(&s.Body, path+"."),
		"sleep":          r.duration(&s.Sleep),
		"set":            r.variables(&s.Set),
		"requires":       r.requires(&s.Requires),
		"if":             r.condition(&s.If),
		"expect":         r.condition(&s.Expect),
		"until":          r.until(&s.Until),
		"retry":          r.retry(&s.Retry),
		"onError":        r.oneOf(&onError, string(Stop), string(Continue), string(SkipRest)),
		"timeout":        r.duration(&s.Timeout),
		"quiet":          r.Bool(&s.Quiet),
	})
	s.ID, s.SaveAs, s.OnError = id.Value, saveAs.Value, OnError(onError)
	if s.ID == "" {
		s.ID = s.SaveAs
	}
	r.checkAction(n, s)
	return s
}

// stepName reads the id or saveAs of a step.
func (r *reader) stepName(dst *yamltree.Text) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Kind != yamltree.StringLiteral {
			r.Wrong(key, n, "text")
		} else if r.checkIdentifier(n.Text, "a step") {
			*dst = n.Text
		}
	}
}

// checkAction reports a step that does not have exactly one action.
func (r *reader) checkAction(n *yamltree.Node, s *Step) {
	var does []string
	for _, key := range []string{"call", "confirm", "parallel", "steps", "sleep"} {
		if n.Member(key) != nil {
			does = append(does, key)
		}
	}
	has := func(key string) bool { return n.Member(key) != nil }
	switch {
	case len(does) > 1:
		r.Errorf(s.Pos, ruleStep, "step %s has more than one action: %s", s.Path,
			strings.Join(does, ", ")).Hint = "make them steps of their own"
	case len(does) == 0 && !has("set"):
		r.Errorf(s.Pos, ruleStep, "step %s has no action", s.Path).Hint = "a step has call, confirm, parallel, sleep or set"
	case has("steps") && !has("forEach"):
		r.Errorf(s.Pos, ruleStep, "step %s has steps without forEach", s.Path)
	case has("forEach") && !has("steps") && !has("call"):
		r.Errorf(s.Pos, ruleStep, "step %s has forEach but nothing to repeat", s.Path).Hint = "add call or steps"
	}
	for _, key := range []string{"args", "expect", "retry", "until", "saveTo"} {
		if has(key) && !has("call") {
			r.Errorf(n.Member(key).Pos, ruleStep, "%s belongs to a call", key)
		}
	}
	if has("expect") && has("until") {
		r.Errorf(n.Member("expect").Pos, ruleStep, "until repeats the call for its own condition, and expect fails at the first result").Hint = "keep one"
	}
	for _, key := range []string{"fields", "default"} {
		if has(key) && !has("confirm") {
			r.Errorf(n.Member(key).Pos, ruleStep, "%s belongs to confirm", key)
		}
	}
	if s.SaveTo != nil && has("forEach") && s.SaveTo.Template.IsLiteral() {
		r.Errorf(s.SaveTo.Pos, ruleStep, "every repetition would write %q", s.SaveTo.Text.Value).Hint = "name each file: {{ index }} is its number"
	}
	if has("maxConcurrency") && !has("parallel") {
		r.Errorf(n.Member("maxConcurrency").Pos, ruleStep,
			"maxConcurrency belongs to parallel").Hint = "forEach repeats sequentially"
	}
}

// call reads alias:tool. The tool name may contain colons.
func (r *reader) call(s *Step) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Kind != yamltree.StringLiteral {
			r.Wrong(key, n, "text")
			return
		}
		alias, tool, ok := strings.Cut(n.Text.Value, ":")
		alias, tool = strings.TrimSpace(alias), strings.TrimSpace(tool)
		if !ok || alias == "" || tool == "" {
			r.Errorf(n.Pos, ruleStep, "call is %q",
				n.Text.Value).Hint = "it is alias:tool; this server's own tools are " + Builtin + ":tool"
			return
		}
		s.Alias, s.Tool, s.CallPos = alias, tool, n.Pos
	}
}

func (r *reader) requires(dst *[]*template.Expr) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		var names []yamltree.Text
		r.texts(&names)(key, n)
		for _, name := range names {
			text := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(name.Value, "{{"), "}}"))
			const before = "{{ "
			t, err := template.Parse(before + text + " }}")
			if err != nil || t.Single() == nil || t.Single().Path == nil {
				r.Errorf(name.Pos, ruleTemplate, "requires needs the name of a value, not %q",
					name.Value).Hint = "write a condition with if:"
				continue
			}
			e := t.Single()
			e.At, e.IsCondition = 0, true
			for i := range e.Path {
				e.Path[i].At += strings.Index(name.Value, text) - len(before) // offset in the source text
			}
			r.required[e] = name
			*dst = append(*dst, e)
		}
	}
}

func (r *reader) condition(dst **Condition) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		switch n.Kind {
		case yamltree.StringLiteral:
		case yamltree.BoolLiteral:
			n.Text.Value = strconv.FormatBool(n.Bool)
		default:
			r.Wrong(key, n, "an expression")
			return
		}
		*dst = &Condition{Text: n.Text}
	}
}

func (r *reader) until(dst **Until) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		u := &Until{Interval: 500 * time.Millisecond, Timeout: 30 * time.Second}
		if n.Kind == yamltree.MappingNode {
			r.Fields(n, "until", map[string]yamltree.NodeField{
				"if": r.condition(&u.If), "interval": r.duration(&u.Interval), "timeout": r.duration(&u.Timeout),
			})
		} else {
			r.condition(&u.If)(key, n)
		}
		if u.If == nil {
			r.Errorf(key.Pos, ruleMissing, "until has no condition").Hint = "add if: an expression; result is the result of the call"
			return
		}
		*dst = u
	}
}

// retryFailures lists the failures that retry.on can name besides /expressions/ over the message.
func retryFailures() []string { return []string{"transport", "timeout", "tool"} }

func (r *reader) retry(dst **Retry) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		out := &Retry{Pos: key.Pos, Attempts: 2, Backoff: 500 * time.Millisecond, MaxDelay: 10 * time.Second}
		*dst = out
		if n.Kind == yamltree.NumberLiteral {
			r.Count(&out.Attempts)(key, n)
			return
		}
		var on []yamltree.Text
		r.Fields(n, "retry", map[string]yamltree.NodeField{
			"attempts": r.Count(&out.Attempts), "backoff": r.duration(&out.Backoff),
			"maxDelay": r.duration(&out.MaxDelay),
			"on":       r.texts(&on), "unsafe": r.Bool(&out.Unsafe),
		})
		for _, t := range on {
			if inner, ok := cutSlashes(t.Value); ok {
				if _, err := regexp.Compile(inner); err != nil {
					r.Errorf(t.Pos, ruleStep, "the expression does not compile: %v", err)
				}
			} else if !slices.Contains(retryFailures(), t.Value) {
				r.Errorf(t.Pos, ruleStep, "unknown failure %q", t.Value).Hint = didYouMeanOr(t.Value, retryFailures(),
					"one of transport, timeout, tool, /expression/")
			}
			out.On = append(out.On, t.Value)
		}
	}
}

// cutSlashes returns the expression between slashes.
func cutSlashes(text string) (string, bool) {
	if len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/' {
		return text[1 : len(text)-1], true
	}
	return "", false
}

// Matches reports whether retry covers a failure with this message.
func (r *Retry) Matches(failure, message string) bool {
	if r.On == nil {
		return failure == "transport" || failure == "timeout"
	}
	for _, on := range r.On {
		if inner, ok := cutSlashes(on); ok {
			if hit, err := regexp.MatchString(inner, message); err == nil && hit {
				return true
			}
		} else if on == failure {
			return true
		}
	}
	return false
}

func didYouMeanOr(name string, valid []string, other string) string {
	if hint := diag.DidYouMean(name, valid); hint != "" {
		return hint
	}
	return other
}
