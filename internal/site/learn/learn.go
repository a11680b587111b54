// Package learn makes a tool of a site out of two or more recordings of one task: what is the same in
// all of them stays, and what differs becomes a parameter with a name and a type.
//
// It guesses no step: what only some recordings have is reported, and the tool is unconfirmed until a
// person has read it. It must not know sessions, pages, nor where recordings are stored.
package learn

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// Draft is a tool as it was learned.
type Draft struct {
	Name        string
	Description string
	Origin      string // of the first page
	Visible     string // the fact that a tool of the site sets by signing in; "" for always
	Start       string // path, with {parameter} in it; "": the recordings begin on an open page
	Parameters  []Parameter
	Steps       []Step
	// Postcondition is a contract that the ends of all recordings share; nil where they share nothing.
	Postcondition map[string]any
	Examples      []map[string]any // the values of the parameters in each recording
	// Notes are the decisions that are left to a person: about steps that only some recordings have, and values
	// that changed without input.
	Notes []string
}

// Parameter is a value that differs between recordings, or a secret.
type Parameter struct {
	Name, Description string
	Type              string   // string, integer, number or boolean
	Format            string   // date, or ""
	Enum              []string // the options that the recordings chose, where they chose from a list
	Secret            bool     // a field for secrets: the value comes from the vault
	values            []string // in each recording
}

// Step is one step of the tool.
type Step struct {
	Tool    string
	Args    map[string]any
	Targets map[string]locate.Identity
}

// Learn aligns recordings and generalises over them. The error says why they are no recordings of one
// task.
func Learn(name string, recordings [][]recorder.Step) (*Draft, error) {
	if len(recordings) < 2 {
		return nil, fault.New(codes.Failed, "give two recordings or more: what differs between them becomes a parameter")
	}
	played := make([][]recorder.Step, len(recordings))
	for i, steps := range recordings {
		if played[i] = actions(steps); len(played[i]) == 0 {
			return nil, fault.New(codes.Failed, fmt.Sprintf("recording %d has no step that acts on a page", i+1))
		}
		if tabs := tabsOf(played[i]); len(tabs) > 1 {
			return nil, fault.New(codes.Failed, fmt.Sprintf("recording %d uses the tabs %s; a tool of a site acts in one", i+1, strings.Join(tabs, ", ")))
		}
	}
	d := &Draft{Name: name, Description: strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ") + "."}
	rows, notes := align(played)
	if len(rows) == 0 {
		return nil, fault.New(codes.Failed, "the recordings have no step in common; are they of one task?")
	}
	d.Notes = notes
	g := &generaliser{draft: d, count: len(recordings)}
	for i, row := range rows {
		if err := g.add(i, row); err != nil {
			return nil, err
		}
	}
	g.finish(played)
	return d, nil
}

// actions returns the steps that act on a page and were not refused.
func actions(steps []recorder.Step) []recorder.Step {
	var out []recorder.Step
	for _, s := range steps {
		if s.Outcome != "ok" && s.Outcome != "" {
			continue
		}
		switch toolset.TraitsOf(s.Tool).Replay {
		case toolset.ReplayNavigate, toolset.ReplayOpenTab, toolset.ReplayClick, toolset.ReplayFill, toolset.ReplayFillForm, toolset.ReplayInput,
			toolset.ReplayUpload, toolset.ReplayDrag, toolset.ReplayDialog:
			out = append(out, byRef(s))
		}
	}
	return out
}

// byRef names the element of a call by query as that of its ref: the one that was inspected, or the one that
// the answer names. The words of the query found it by similarity.
func byRef(s recorder.Step) recorder.Step {
	var args map[string]any
	if json.Unmarshal(s.Args, &args) != nil || args["query"] == nil || toolset.TraitsOf(s.Tool).Role("/query") != toolset.RoleQuery {
		return s
	}
	id, ok := s.Targets["/query"]
	if !ok {
		if id, ok = replay.ActedElement(s.Summary); !ok {
			return s
		}
	}
	delete(args, "query")
	data, err := json.Marshal(args)
	if err != nil {
		return s
	}
	s.Args, s.Targets = data, map[string]locate.Identity{"/ref": id}
	return s
}

func tabsOf(steps []recorder.Step) []string {
	var out []string
	for _, s := range steps {
		if s.Tab != "" && !slices.Contains(out, s.Tab) {
			out = append(out, s.Tab)
		}
	}
	return out
}

// row is one step as all recordings have it.
type row []*recorder.Step

// align finds the steps that all recordings have in the same order: the longest common subsequence with
// the first recording, by what is done to which kind of element. Other steps are reported.
func align(all [][]recorder.Step) (rows []row, notes []string) {
	kept := make([]row, len(all[0]))
	for i := range all[0] {
		kept[i] = row{&all[0][i]}
	}
	for n := 1; n < len(all); n++ {
		pairs := common(all[0], all[n])
		for i := range kept {
			if j, ok := pairs[i]; ok && len(kept[i]) == n {
				kept[i] = append(kept[i], &all[n][j])
			}
		}
		taken := map[int]bool{}
		for _, j := range pairs {
			taken[j] = true
		}
		for j := range all[n] {
			if !taken[j] {
				notes = append(notes, fmt.Sprintf("only recording %d has: %s; it is left out", n+1, describe(&all[n][j])))
			}
		}
	}
	for i := range kept {
		if len(kept[i]) == len(all) {
			rows = append(rows, kept[i])
			continue
		}
		notes = append(notes, fmt.Sprintf("not every recording has: %s; it is left out, write it with optional: true if the page needs it at times", describe(&all[0][i])))
	}
	return rows, notes
}

// common returns the pairs of the longest common subsequence of two recordings.
func common(a, b []recorder.Step) map[int]int {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if s := alike(&a[i], &b[j]); s > 0 {
				best[i][j] = max(best[i][j], s+best[i+1][j+1])
			}
		}
	}
	out := map[int]int{}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		s := alike(&a[i], &b[j])
		switch {
		case s > 0 && best[i][j] == s+best[i+1][j+1]:
			out[i] = j
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return out
}

// alike returns how well two steps fit: 0 where they do something else, 3 for the same element, 1 for
// another one of its role.
func alike(a, b *recorder.Step) int {
	if a.Tool != b.Tool || action(a) != action(b) || len(a.Targets) != len(b.Targets) {
		return 0
	}
	score := 3
	for pointer, id := range a.Targets {
		other, ok := b.Targets[pointer]
		switch {
		case !ok || id.Role != other.Role || id.Kind != other.Kind:
			return 0
		case id.Name != other.Name && id.Role != "link" && id.Role != "option" && (id.TestID == "" || id.TestID != other.TestID) && id.Label == other.Label:
			// a field or a button of another name is another one; links and options may be the parameter
			return 0
		case id.Name != other.Name:
			score = 1
		}
	}
	return score
}

// action returns the member that names the action of a call, such as double_click.
func action(s *recorder.Step) string {
	var args struct {
		Action string `json:"action"`
	}
	if json.Unmarshal(s.Args, &args) != nil {
		return ""
	}
	return args.Action
}

func describe(s *recorder.Step) string {
	for _, id := range s.Targets {
		return s.Tool + " on " + id.String()
	}
	return s.Tool + " " + string(s.Args)
}

// pathOf returns path and query of an address, and its origin.
func pathOf(address string) (path, origin string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address, ""
	}
	return u.RequestURI(), u.Scheme + "://" + u.Host
}
