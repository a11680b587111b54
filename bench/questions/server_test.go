package questions

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/bench/stdio"
)

// settleTime bounds the wait for what a page does before it can be asked about.
const settleTime = 20 * time.Second

// server is a running MCP server.
type server struct {
	*stdio.Server

	name    string
	version string
	steps   func(question) []step
	every   map[string]any // arguments of every call
	then    string         // of navigate, where given
	opened  int            // bytes of the answers of navigate
}

// start runs a server by its command line and connects to it.
func start(ctx context.Context, name, line, protocol string) (*server, error) {
	running, err := stdio.Start(ctx, line, stdio.Options{Revision: protocol})
	if err != nil {
		return nil, err
	}
	return &server{Server: running, name: name, version: running.Session.InitializeResult().ServerInfo.Version}, nil
}

// answer is the answer of a server to one question.
type answer struct {
	calls, bytes int // of one round
	took         time.Duration
	found        []string // labels of the facts that it had
	missed       []string
	text         string
}

// ask asks a question so many times, each on a fresh page, and returns the last answer with the median
// time.
func (s *server) ask(ctx context.Context, q question, site string, rounds int) (a answer, err error) {
	var times []time.Duration
	for range max(rounds, 1) {
		if a, err = s.askOnce(ctx, q, site); err != nil {
			return a, err
		}
		times = append(times, a.took)
		if strings.Contains(a.text, noAnswer) { // the server may still be at it
			break
		}
	}
	slices.Sort(times)
	a.took = times[len(times)/2]
	for _, f := range q.Facts {
		if f.Pattern.MatchString(a.text) {
			a.found = append(a.found, f.Label)
		} else {
			a.missed = append(a.missed, f.Label)
		}
	}
	return a, nil
}

// askOnce runs the steps of a question. Those of its preparation are not counted. Of steps that are
// repeated, the last answer counts alone: a person would have asked then. A list that does not have what
// the next step asks about is the end of the question.
func (s *server) askOnce(ctx context.Context, q question, site string) (a answer, err error) {
	values := map[string]string{"site": site}
	var parts []string
	for _, step := range s.steps(q) {
		var text string
		deadline := time.Now().Add(settleTime)
		for {
			began := time.Now()
			args := fill(step.Args, values)
			_, opens := args["url"]
			if opens && s.then != "" {
				args["then"] = s.then
			}
			if text, err = s.call(ctx, step.Tool, args); err != nil {
				return a, err
			}
			if opens {
				s.opened += len(text)
			}
			if step.Until.Regexp == nil || step.Until.MatchString(text) || time.Now().After(deadline) {
				if !step.Prepares {
					a.took += time.Since(began)
				}
				break
			}
		}
		if !step.Prepares {
			a.calls++
			a.bytes += len(text)
			parts = append(parts, text)
		}
		if step.Capture.Regexp == nil {
			continue
		}
		found := step.Capture.FindStringSubmatch(text)
		if found == nil { // what the next step asks about is not there
			break
		}
		values["id"] = found[1]
	}
	a.text = strings.Join(parts, "\n")
	return a, nil
}

var placeholder = regexp.MustCompile(`\{(site|id)\}`)

// fill replaces {site} and {id} in arguments. An argument that is {id} alone becomes a number where
// the value is one.
func fill(args map[string]any, values map[string]string) map[string]any {
	out := map[string]any{}
	for name, v := range args {
		text, ok := v.(string)
		if !ok {
			out[name] = v
			continue
		}
		var n int
		if text == "{id}" {
			if _, err := fmt.Sscanf(values["id"], "%d", &n); err == nil && fmt.Sprint(n) == values["id"] {
				out[name] = n
				continue
			}
		}
		out[name] = placeholder.ReplaceAllStringFunc(text, func(p string) string { return values[p[1:len(p)-1]] })
	}
	return out
}

// callTime bounds one call.
const callTime = 10 * time.Second

// noAnswer is in the text of a call that took longer.
const noAnswer = "(no answer within 10 s)"

// call calls a tool and returns its text. A refusal is an answer too, and so is none within callTime.
func (s *server) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	maps.Copy(args, s.every)
	patience, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	text, _, err := s.Call(patience, tool, args)
	if err != nil && patience.Err() != nil && ctx.Err() == nil {
		return noAnswer, nil
	}
	return text, err
}
