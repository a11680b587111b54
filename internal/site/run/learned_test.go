package run_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/site/learn"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestLearnedToolRuns records an agent twice, learns a tool of the recordings and runs it with other
// values, on the shop as it was and where its form leads elsewhere.
func TestLearnedToolRuns(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	server := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	c := server.Connect(t.Name()+"-agent", "", nil)
	var recordings [][]recorder.Step
	for _, item := range [][2]string{{"Desk", "99"}, {"Bed", "120"}} {
		c.Call("oc_recording_start", tooltest.Args{"screenshots": false})
		c.Call("navigate", tooltest.Args{"url": s.URL + "/items/new"})
		c.Call("form_input", tooltest.Args{"query": "Name", "value": item[0]})
		c.Call("form_input", tooltest.Args{"query": "Price", "value": item[1]})
		c.Call("interact", tooltest.Args{"query": "Save button"})
		id := tooltest.RecordingID(t, c.Call("oc_recording_stop", nil))
		steps, err := recorder.NewArchive(server.Store).Steps(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		recordings = append(recordings, steps)
	}
	d, err := learn.Learn("add_item", recordings)
	if err != nil {
		t.Fatal(err)
	}
	post, err := json.Marshal(d.Postcondition)
	if err != nil {
		t.Fatal(err)
	}
	tool := run.Tool{Name: d.Name, Start: d.Start, Postcondition: post}
	var names []string
	for _, p := range d.Parameters {
		names = append(names, p.Name+" "+p.Type)
		tool.Parameters = append(tool.Parameters, run.Parameter{Name: p.Name, Required: true})
	}
	if !slices.Equal(names, []string{"name string", "price integer"}) || d.Start != "/items/new" || len(d.Steps) != 3 {
		t.Fatalf("parameters %v, start %s, steps %+v, notes %v", names, d.Start, d.Steps, d.Notes)
	}
	for _, step := range d.Steps {
		args, err := json.Marshal(step.Args)
		if err != nil {
			t.Fatal(err)
		}
		tool.Steps = append(tool.Steps, run.Step{Tool: step.Tool, Args: args, Targets: step.Targets})
	}
	s.posted()
	runner := newClient(t, &run.Site{Name: "shop", Origins: []string{s.URL}, Tools: []run.Tool{tool}})
	runner.must("add_item", `{"name":"Sofa","price":300}`, run.Options{})
	if posts := s.posted(); !slices.Equal(posts, []string{"/items"}) {
		t.Errorf("posted %v", posts)
	}
	s.mu.Lock()
	last := s.items[len(s.items)-1]
	s.mu.Unlock()
	if last != [2]string{"Sofa", "300"} {
		t.Errorf("the shop has %v", last)
	}
}
