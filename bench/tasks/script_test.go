package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// task is one file of testdata/tasks: what a user asks for, the expression that is true once it is done, and two
// scripts that do it.
type task struct {
	name, page    string
	asked, check  string
	before, after []step
}

// step is one call. Its arguments may hold {{names}}: keep takes their values from the answers of earlier calls.
type step struct {
	tool, args string
	keep       map[string]*regexp.Regexp
}

// readTask reads a file of lines: page, task and check with their text; before and after, which begin a script;
// calls, a tool and its arguments; and keep, a name and the expression whose first group is its value. An indented
// line continues the one above it.
func readTask(path, name string) (task, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return task{}, err
	}
	t := task{name: name}
	var script *[]step
	for line := range strings.Lines(strings.ReplaceAll(string(data), "\n ", " ")) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		switch {
		case word == "" || word == "#":
		case word == "page":
			t.page = rest
		case word == "task":
			t.asked = rest
		case word == "check":
			t.check = rest
		case word == "before":
			script = &t.before
		case word == "after":
			script = &t.after
		case script == nil:
			return task{}, fmt.Errorf("%s: %q stands before a script", name, word)
		case word == "keep":
			err = keep(*script, rest)
		default:
			*script = append(*script, step{tool: word, args: rest, keep: map[string]*regexp.Regexp{}})
		}
		if err != nil {
			return task{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if t.page == "" || t.asked == "" || t.check == "" || len(t.before) == 0 || len(t.after) == 0 {
		return task{}, fmt.Errorf("%s lacks its page, task, check, before or after", name)
	}
	return t, nil
}

func keep(script []step, rest string) error {
	name, expression, ok := strings.Cut(rest, " ")
	if !ok || len(script) == 0 {
		return errors.New("keep has a name and an expression, after a call")
	}
	compiled, err := regexp.Compile(strings.TrimSpace(expression))
	script[len(script)-1].keep[name] = compiled
	return err
}

// arguments fills the names in and decodes the arguments.
func (s step) arguments(values map[string]string) (map[string]any, error) {
	filled := s.args
	for name, value := range values {
		filled = strings.ReplaceAll(filled, "{{"+name+"}}", value)
	}
	args := map[string]any{}
	if filled != "" {
		if err := json.Unmarshal([]byte(filled), &args); err != nil {
			return nil, fmt.Errorf("%s %s: %w", s.tool, filled, err)
		}
	}
	return args, nil
}
