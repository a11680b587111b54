package run

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/replay"
)

func isDialogTool(tool string) bool { return toolset.TraitsOf(tool).Replay == toolset.ReplayDialog }

// mark is one mark of a step's element: its step, from 1, the pointer of its argument, and its key.
type mark struct {
	seq          int
	pointer, key string
}

// repairMark proposes another value for a mark; nil where the mark holds a parameter, or the page's text would be
// one.
func repairMark(m mark, old, now, why string) *Repair {
	if placeholderPattern().MatchString(old) || holdsPlaceholder(now) || m.pointer == "" {
		return nil
	}
	change := Change{Op: "replace", Path: fmt.Sprintf("/steps/%d/targets/%s/%s", m.seq-1, argument.Escape(m.pointer), m.key), Old: old, New: now}
	return &Repair{Why: why, Changes: []Change{change}}
}

// holdsPlaceholder reports whether a text of a page would be a placeholder in the file of a tool.
func holdsPlaceholder(text string) bool {
	return placeholderPattern().MatchString(text) || secretPattern().MatchString(text)
}

// similarPattern matches an element as a drift lists it: button "Save".
var similarPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z]+) (".*")$`) })

// repairElement proposes another element where exactly one of those that are there resembles the
// recorded one: by its role and a word of its name, or by its whole name.
func (c *call) repairElement(d *replay.Drift) *Repair {
	step := c.step(d.Step)
	if step == nil {
		return nil
	}
	id, ok := step.Targets[d.Argument]
	if !ok || d.Kind != string(locate.DriftGone) && d.Kind != string(locate.DriftRole) {
		return nil
	}
	type near struct{ role, name string }
	var fits []near
	for _, text := range d.Similar {
		m := similarPattern().FindStringSubmatch(text)
		if m == nil {
			continue
		}
		n := near{role: m[1]}
		if json.Unmarshal([]byte(m[2]), &n.name) != nil {
			continue
		}
		if n.role == id.Role && sharesWord(n.name, id.Name) || n.name == id.Name {
			fits = append(fits, n)
		}
	}
	if only, ok := onlyButton(d.Similar); len(fits) == 0 && ok && id.Role == "button" {
		return repairMark(mark{d.Step, d.Argument, "name"}, id.Name, only, "it is the only button")
	}
	if len(fits) != 1 {
		return nil
	}
	if fits[0].name != id.Name && fits[0].role == id.Role {
		return repairMark(mark{d.Step, d.Argument, "name"}, id.Name, fits[0].name, "it has the same role and shares a word")
	}
	if fits[0].role == id.Role {
		return nil // another mark than these two differs
	}
	return repairMark(mark{d.Step, d.Argument, "role"}, id.Role, fits[0].role, "it has the same name")
}

// mostSimilar is how many elements a drift lists at most: where it lists fewer, it has every element of the role.
const mostSimilar = 5

// onlyButton returns the name of the one button of a page.
func onlyButton(similar []string) (name string, ok bool) {
	for _, text := range similar {
		m := similarPattern().FindStringSubmatch(text)
		if m == nil || m[1] != "button" {
			continue
		}
		if ok || json.Unmarshal([]byte(m[2]), &name) != nil || name == "" {
			return "", false
		}
		ok = true
	}
	return name, ok && len(similar) < mostSimilar
}

// repair proposes another label for a place of an output, where one of those that are there shares a
// word with it.
func (m *misread) repair() *Repair {
	if m.output == nil || m.output.Element == nil || m.output.Element.Label == "" || placeholderPattern().MatchString(m.output.Element.Label) {
		return nil
	}
	fits := slices.DeleteFunc(slices.Clone(m.near), func(s string) bool { return !sharesWord(s, m.output.Element.Label) })
	if len(fits) != 1 || holdsPlaceholder(fits[0]) {
		return nil
	}
	path := "/extract/" + m.output.Name
	if m.list != nil {
		path = "/extract/" + m.list.Name + "/list/" + m.output.Name
	}
	return &Repair{Why: "it shares a word", Changes: []Change{{Op: "replace", Path: path + "/element/label", Old: m.output.Element.Label, New: fits[0]}}}
}

// sharesWord reports whether two names have a word of at least three letters in common.
func sharesWord(a, b string) bool {
	theirs := significantWords(b)
	return slices.ContainsFunc(significantWords(a), func(w string) bool { return slices.Contains(theirs, w) })
}

func significantWords(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool { return len([]rune(w)) < 3 })
}
