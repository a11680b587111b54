// Package instruction reads plain English orders about a page, such as "click Sign in, then type "Ann" in Name", by rules.
//
// It answers with steps or says which part it does not understand; it never guesses. It must not know pages, tools or
// what becomes of a step.
package instruction

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Action is what a step does.
type Action string

// The actions.
const (
	Click       Action = "click"
	DoubleClick Action = "double_click"
	RightClick  Action = "right_click"
	Hover       Action = "hover"
	Set         Action = "set"
	Type        Action = "type"
	Key         Action = "key"
	Scroll      Action = "scroll"
	Navigate    Action = "navigate"
	Wait        Action = "wait"
)

// Step is one order. Query describes an element; Value is a text, keys, a direction, an address or what to wait for.
type Step struct {
	Action       Action
	Query, Value string
}

// Error says which part of an instruction is no order.
type Error struct{ Part string }

func (e *Error) Error() string {
	return fmt.Sprintf("%q is not understood; say it as: click X, double-click X, right-click X, hover over X, type \"text\" in X, "+
		"select \"option\" in X, check X, uncheck X, press Enter, scroll down, scroll to X, go to URL, wait for \"text\"", e.Part)
}

// most bounds the steps of one instruction.
const most = 20

// Parse takes an instruction apart. Its error is an [Error] about the first part that is no order.
func Parse(text string) ([]Step, error) {
	var steps []Step
	for _, part := range split(text) {
		step, ok := parse(part)
		if !ok || len(steps) == most {
			return nil, &Error{Part: part}
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil, &Error{Part: text}
	}
	return steps, nil
}

// between matches what stands between two orders, outside of quotes.
var between = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:\s*[,;.]?\s+(?:and\s+then|then|afterwards|after\s+that|finally)\b[,:]?\s+|\s*;\s*|\s*\n\s*|\.\s+|\s*,\s+(?:and\s+)?|\s+and\s+)`)
})

// verbs begin an order; a comma or an "and" divides only before one.
var verbs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:click|tap|double[- ]?click|right[- ]?click|hover|type|enter|fill|write|set|select|choose|pick|check|tick|uncheck|untick|press|hit|scroll|go|open|navigate|visit|wait)\b`)
})

// split divides an instruction at what lies between orders. Text in quotes stays whole.
func split(text string) []string {
	var parts []string
	start, quote := 0, rune(0)
	cut := func(end, next int) {
		if part := strings.Trim(text[start:end], " \t\r\n.,;"); part != "" {
			parts = append(parts, part)
		}
		start = next
	}
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
			continue
		case opens(text, i, r) != 0:
			quote = opens(text, i, r)
			continue
		case i < start:
			continue
		}
		if m := between().FindString(text[i:]); m != "" && divides(m, text[i+len(m):]) {
			cut(i, i+len(m))
		}
	}
	cut(len(text), len(text))
	return parts
}

// opens gives the mark that closes a quotation beginning here, or 0. An apostrophe inside a word quotes nothing, and nor
// does a mark that is never closed.
func opens(text string, i int, r rune) rune {
	closing := map[rune]rune{'"': '"', '\'': '\'', '“': '”', '‘': '’', '`': '`'}[r]
	if closing == 0 || i > 0 && r == '\'' && !strings.ContainsAny(text[i-1:i], " \t\n(,:") {
		return 0
	}
	if !strings.ContainsRune(text[i+len(string(r)):], closing) {
		return 0
	}
	return closing
}

// divides: "then", ";" and line ends always do; a comma, a full stop or an "and" only where another order begins.
func divides(m, rest string) bool {
	low := strings.ToLower(m)
	if strings.ContainsAny(m, ";\n") || strings.Contains(low, "then") || strings.Contains(low, "after") || strings.Contains(low, "finally") {
		return true
	}
	return verbs().MatchString(rest)
}

const quoted = `(?:"([^"]*)"|'([^']*)'|“([^”]*)”|‘([^’]*)’|` + "`([^`]*)`" + `)`

// rule is one form of order.
type rule struct {
	form   *regexp.Regexp
	action Action
	fixed  string // the value where the order implies it
}

// rules are tried in order; the groups q and v hold an element and a value. They are compiled when the first instruction
// comes, as the two above: together they would cost every start a millisecond.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		{form: order(`double[- ]?click\s+(?:on\s+)?(?P<q>.+)`), action: DoubleClick},
		{form: order(`right[- ]?click\s+(?:on\s+)?(?P<q>.+)`), action: RightClick},
		{form: order(`(?:click|tap)\s+(?:on\s+)?(?P<q>.+)`), action: Click},
		{form: order(`hover\s+(?:over\s+|on\s+)?(?P<q>.+)`), action: Hover},
		{form: order(`(?:type|enter|write|fill(?:\s+in)?)\s+(?P<v>` + quoted + `)\s+(?:in|into|as|for|on)\s+(?P<q>.+)`), action: Set},
		{form: order(`(?:type|enter|write)\s+(?P<v>` + quoted + `)`), action: Type},
		{form: order(`(?:fill(?:\s+in)?|set|enter)\s+(?P<q>.+?)\s+(?:with|to|as)\s+(?P<v>.+)`), action: Set},
		{form: order(`(?:select|choose|pick|set)\s+(?P<v>` + quoted + `)\s+(?:from|in|for|as)\s+(?P<q>.+)`), action: Set},
		{form: order(`(?:select|choose|pick)\s+(?P<v>.+?)\s+(?:from|in)\s+(?P<q>.+)`), action: Set},
		{form: order(`(?:type|enter|write)\s+(?P<v>\S+)\s+(?:in|into)\s+(?P<q>.+)`), action: Set},
		{form: order(`(?:uncheck|untick)\s+(?P<q>.+)`), action: Set, fixed: "false"},
		{form: order(`(?:check|tick)\s+(?P<q>.+)`), action: Set, fixed: "true"},
		{form: order(`(?:press|hit)\s+(?P<v>[A-Za-z0-9]+(?:\+[A-Za-z0-9+]+)*)(?:\s+key)?`), action: Key},
		{form: order(`scroll\s+(?P<v>up|down|left|right)`), action: Scroll},
		{form: order(`scroll\s+to\s+(?P<q>.+)`), action: Scroll},
		{form: order(`(?:go|navigate)\s+to\s+(?P<v>\S+)`), action: Navigate},
		{form: order(`(?:open|visit)\s+(?P<v>[a-z]+:\S+)`), action: Navigate},
		{form: order(`wait\s+(?:for\s+)?(?P<v>\d+)\s*(?:ms|milliseconds?)`), action: Wait},
		{form: order(`wait\s+(?:for\s+)?(?P<v>\d+)\s*(?:s|sec|seconds?)`), action: Wait, fixed: "s"},
		{form: order(`wait\s+(?:for|until)\s+(?P<v>.+)`), action: Wait},
	}
})

func order(form string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^(?:please\s+)?` + form + `$`)
}

func parse(part string) (Step, bool) {
	for _, r := range rules() {
		m := r.form.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		s := Step{Action: r.action, Value: r.fixed}
		for i, name := range r.form.SubexpNames() {
			switch name {
			case "q":
				s.Query = element(m[i])
			case "v":
				s.Value = value(m[i], r.fixed)
			}
		}
		wants := strings.Contains(r.form.String(), "?P<q>")
		return s, !wants || s.Query != ""
	}
	return Step{}, false
}

// value is a text without its quotes; seconds become milliseconds.
func value(text, unit string) string {
	if unit == "s" {
		return text + "000"
	}
	return unquote(text)
}

// element is a description without quotes and articles.
func element(text string) string {
	text = strings.TrimSpace(text)
	for _, article := range []string{"the ", "a ", "an "} {
		if len(text) > len(article) && strings.EqualFold(text[:len(article)], article) {
			text = text[len(article):]
			break
		}
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"“”`", r) {
			return -1
		}
		return r
	}, unquote(text)))
}

func unquote(text string) string {
	text = strings.TrimSpace(text)
	for _, marks := range []string{`""`, `''`, "``", "“”", "‘’"} {
		pair := []rune(marks)
		rest, ok := strings.CutPrefix(text, string(pair[0]))
		if rest, closed := strings.CutSuffix(rest, string(pair[1])); ok && closed {
			return rest
		}
	}
	return text
}
