// Package instruction parses English orders about a page by rules, such as "click Sign in, then
// type "Ann" in Name".
//
// It returns steps, or the part that it cannot parse; it never guesses. It must not know pages or
// tools.
package instruction

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Action is the kind of a step.
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

// Step is one order. Query describes an element; Value is a text, keys, a direction, an address or
// what to wait for.
type Step struct {
	Action       Action
	Query, Value string
}

// ParseError says which part of an instruction is no order.
type ParseError struct{ Part string }

func (e *ParseError) Error() string {
	return fmt.Sprintf("%q is not understood; say it as: click X, double-click X, right-click X, hover over X, type \"text\" in X, "+
		"select \"option\" in X, check X, uncheck X, press Enter, scroll down, scroll to X, go to URL, wait for \"text\"", e.Part)
}

// maxSteps bounds the steps of one instruction.
const maxSteps = 20

// Parse takes an instruction apart. Its error is an [ParseError] about the first part that is no
// order.
func Parse(text string) ([]Step, error) {
	var steps []Step
	for _, part := range splitOrders(text) {
		step, ok := parseOrder(part)
		if !ok || len(steps) == maxSteps {
			return nil, &ParseError{Part: part}
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil, &ParseError{Part: text}
	}
	return steps, nil
}

// separatorPattern matches the words between two orders, outside of quotes.
var separatorPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:\s*[,;.]?\s+(?:and\s+then|then|afterwards|after\s+that|finally)\b[,:]?\s+|\s*;\s*|\s*\n\s*|\.\s+|\s*,\s+(?:and\s+)?|\s+and\s+)`)
})

// verbPattern begin an order; a comma or an "and" divides only before one.
var verbPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:click|tap|double[- ]?click|right[- ]?click|hover|type|enter|fill|write|set|select|choose|pick|check|tick|uncheck|untick|press|hit|scroll|go|open|navigate|visit|wait)\b`)
})

// splitOrders splits an instruction between its orders. Text in quotes stays whole.
func splitOrders(text string) []string {
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
		case closingQuote(text, i, r) != 0:
			quote = closingQuote(text, i, r)
			continue
		case i < start:
			continue
		}
		if m := separatorPattern().FindString(text[i:]); m != "" && isSeparator(m, text[i+len(m):]) {
			cut(i, i+len(m))
		}
	}
	cut(len(text), len(text))
	return parts
}

// closingQuote returns the mark that closes a quotation which begins at i, or 0. An apostrophe
// inside a word opens none, nor does a mark that is never closed.
func closingQuote(text string, i int, r rune) rune {
	closing := map[rune]rune{'"': '"', '\'': '\'', '“': '”', '‘': '’', '`': '`'}[r]
	if closing == 0 || i > 0 && r == '\'' && !strings.ContainsAny(text[i-1:i], " \t\n(,:") {
		return 0
	}
	if !strings.ContainsRune(text[i+len(string(r)):], closing) {
		return 0
	}
	return closing
}

// isSeparator reports whether m separates two orders: "then", ";" and line ends always do; a comma,
// a full stop or an "and" does only before another order.
func isSeparator(m, rest string) bool {
	low := strings.ToLower(m)
	if strings.ContainsAny(m, ";\n") || strings.Contains(low, "then") || strings.Contains(low, "after") || strings.Contains(low, "finally") {
		return true
	}
	return verbPattern().MatchString(rest)
}

const quotedText = `(?:"([^"]*)"|'([^']*)'|“([^”]*)”|‘([^’]*)’|` + "`([^`]*)`" + `)`

// orderRule is one form of order.
type orderRule struct {
	form         *regexp.Regexp
	action       Action
	impliedValue string // the value where the order implies it
}

// orderRules are tried in order; the groups q and v hold an element and a value. They are compiled when the first instruction
// comes, as the two above: together they would cost every start a millisecond.
var orderRules = sync.OnceValue(func() []orderRule {
	return []orderRule{
		{form: compileForm(`double[- ]?click\s+(?:on\s+)?(?P<q>.+)`), action: DoubleClick},
		{form: compileForm(`right[- ]?click\s+(?:on\s+)?(?P<q>.+)`), action: RightClick},
		{form: compileForm(`(?:click|tap)\s+(?:on\s+)?(?P<q>.+)`), action: Click},
		{form: compileForm(`hover\s+(?:over\s+|on\s+)?(?P<q>.+)`), action: Hover},
		{form: compileForm(`(?:type|enter|write|fill(?:\s+in)?)\s+(?P<v>` + quotedText + `)\s+(?:in|into|as|for|on)\s+(?P<q>.+)`), action: Set},
		{form: compileForm(`(?:type|enter|write)\s+(?P<v>` + quotedText + `)`), action: Type},
		{form: compileForm(`(?:fill(?:\s+in)?|set|enter)\s+(?P<q>.+?)\s+(?:with|to|as)\s+(?P<v>.+)`), action: Set},
		{form: compileForm(`(?:select|choose|pick|set)\s+(?P<v>` + quotedText + `)\s+(?:from|in|for|as)\s+(?P<q>.+)`), action: Set},
		{form: compileForm(`(?:select|choose|pick)\s+(?P<v>.+?)\s+(?:from|in)\s+(?P<q>.+)`), action: Set},
		{form: compileForm(`(?:type|enter|write)\s+(?P<v>\S+)\s+(?:in|into)\s+(?P<q>.+)`), action: Set},
		{form: compileForm(`(?:uncheck|untick)\s+(?P<q>.+)`), action: Set, impliedValue: "false"},
		{form: compileForm(`(?:check|tick)\s+(?P<q>.+)`), action: Set, impliedValue: "true"},
		{form: compileForm(`(?:press|hit)\s+(?P<v>[A-Za-z0-9]+(?:\+[A-Za-z0-9+]+)*)(?:\s+key)?`), action: Key},
		{form: compileForm(`scroll\s+(?P<v>up|down|left|right)`), action: Scroll},
		{form: compileForm(`scroll\s+to\s+(?P<q>.+)`), action: Scroll},
		{form: compileForm(`(?:go|navigate)\s+to\s+(?P<v>\S+)`), action: Navigate},
		{form: compileForm(`(?:open|visit)\s+(?P<v>[a-z]+:\S+)`), action: Navigate},
		{form: compileForm(`wait\s+(?:for\s+)?(?P<v>\d+)\s*(?:ms|milliseconds?)`), action: Wait},
		{form: compileForm(`wait\s+(?:for\s+)?(?P<v>\d+)\s*(?:s|sec|seconds?)`), action: Wait, impliedValue: "s"},
		{form: compileForm(`wait\s+(?:for|until)\s+(?P<v>.+)`), action: Wait},
	}
})

func compileForm(form string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^(?:please\s+)?` + form + `$`)
}

func parseOrder(part string) (Step, bool) {
	for _, r := range orderRules() {
		m := r.form.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		s := Step{Action: r.action, Value: r.impliedValue}
		for i, name := range r.form.SubexpNames() {
			switch name {
			case "q":
				s.Query = elementDescription(m[i])
			case "v":
				s.Value = stepValue(m[i], r.impliedValue)
			}
		}
		wants := strings.Contains(r.form.String(), "?P<q>")
		return s, !wants || s.Query != ""
	}
	return Step{}, false
}

// stepValue is a text without its quotes; seconds become milliseconds.
func stepValue(text, unit string) string {
	if unit == "s" {
		return text + "000"
	}
	return unquote(text)
}

// elementDescription is a description without quotes and articles.
func elementDescription(text string) string {
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
