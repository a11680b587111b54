package evidence

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Results are the outcomes of a run of "go test -json": the last one of each test.
type Results struct {
	outcome map[[2]string]string // package and test → pass, fail, skip
}

// maxLine bounds one line of a log: a test may print much, in one event.
const maxLine = 8 << 20

// ReadResults reads the log of "go test -json": one event on each line. A log without an event
// about a test proves nothing and is an error.
func ReadResults(log []byte) (*Results, error) {
	r := &Results{outcome: map[[2]string]string{}}
	lines := bufio.NewScanner(bytes.NewReader(log))
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e struct{ Action, Package, Test string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d is no event of go test -json: %w", n, err)
		}
		switch e.Action {
		case "pass", "fail", "skip":
			if e.Test != "" {
				r.outcome[[2]string{e.Package, e.Test}] = e.Action
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the events of go test -json: %w", err)
	}
	if len(r.outcome) == 0 {
		return nil, fmt.Errorf("read the events of go test -json: none is about a test")
	}
	return r, nil
}

// Of is how the test of a package ended: pass, fail, skip, or "" when it did not run. A test of
// which a part was skipped counts as skipped.
func (r *Results) Of(importPath, test string) string {
	out := r.outcome[[2]string{importPath, test}]
	if out != "pass" {
		return out
	}
	for key, outcome := range r.outcome {
		if key[0] == importPath && strings.HasPrefix(key[1], test+"/") && outcome == "skip" {
			return outcome
		}
	}
	return out
}
