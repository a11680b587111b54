package widgets

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// page is the tasks on the page of one component library.
type page struct {
	name  string
	tasks []task
}

// task is a task of a person on a page. It is solved when want, an expression over the page's
// state(), holds.
type task struct {
	name, want string
	steps      []step
}

// step is one action. target and value depend on the verb; see tasks.txt.
type step struct {
	verb, target, value string
}

// String returns the step as it stands in tasks.txt.
func (s step) String() string {
	switch s.verb {
	case "set", "upload":
		return s.verb + " " + s.target + " = " + s.value
	case "drag":
		return s.verb + " " + s.target + " -> " + s.value
	}
	return s.verb + " " + s.target
}

// parseSuite reads pages and their tasks. Its error names the line.
func parseSuite(r io.Reader) ([]page, error) {
	var pages []page
	scanner := bufio.NewScanner(r)
	for number := 1; scanner.Scan(); number++ {
		line := scanner.Text()
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		verb, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		if verb == "page" {
			pages = append(pages, page{name: rest})
			continue
		}
		if len(pages) == 0 {
			return nil, fmt.Errorf("line %d: a task needs a page before it", number)
		}
		current := &pages[len(pages)-1]
		if verb == "task" {
			name, want, ok := strings.Cut(rest, " | ")
			if !ok {
				return nil, fmt.Errorf("line %d: a task is written NAME | WANT", number)
			}
			current.tasks = append(current.tasks, task{name: name, want: want})
			continue
		}
		parsed, err := parseStep(verb, rest)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if len(current.tasks) == 0 {
			return nil, fmt.Errorf("line %d: a step needs a task before it", number)
		}
		last := &current.tasks[len(current.tasks)-1]
		last.steps = append(last.steps, parsed)
	}
	return pages, scanner.Err()
}

func parseStep(verb, rest string) (step, error) {
	separator := map[string]string{"set": " = ", "upload": " = ", "drag": " -> "}[verb]
	switch verb {
	case "set", "upload", "drag":
		target, value, ok := strings.Cut(rest, separator)
		if !ok {
			return step{}, fmt.Errorf("%s needs %q", verb, strings.TrimSpace(separator))
		}
		return step{verb, target, value}, nil
	case "click", "double", "hover", "type", "press":
		return step{verb: verb, target: rest}, nil
	}
	return step{}, fmt.Errorf("unknown verb %q", verb)
}
