package run

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page/extract"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// outputPlace returns an output as the script of the page reads it.
func outputPlace(o *Output, values map[string]any) place {
	p := place{Element: fillElement(o.Element, values), Read: o.Read, Attribute: o.Attribute, List: o.List}
	for i := range o.Members {
		if p.Members == nil {
			p.Members = map[string]place{}
		}
		p.Members[o.Members[i].Name] = outputPlace(&o.Members[i], values)
	}
	return p
}

// extract reads the outputs of a tool. It waits until the required ones are there. The drift is that
// of the first output that is not.
func (r *Runner) extract(ctx context.Context, t *browser.Tab, outputs []Output, values map[string]any, end time.Time) (json.RawMessage, *Drift, error) {
	if len(outputs) == 0 {
		return nil, nil, nil
	}
	var places []json.RawMessage
	for i := range outputs {
		if outputs[i].Read != ReadURL {
			places = append(places, encodePlace(outputPlace(&outputs[i], values)))
		}
	}
	for {
		found, err := readPlaces(ctx, t, places)
		if err != nil {
			return nil, nil, err
		}
		out, drift := convertOutputs(outputs, found, t.URL())
		if drift == nil || !time.Now().Before(end) {
			data, err := json.Marshal(out)
			return data, drift, err
		}
		if err := settle.Pause(ctx, lookInterval); err != nil {
			return nil, nil, err
		}
	}
}

func convertOutputs(outputs []Output, found []read.SiteValue, url string) (map[string]any, *Drift) {
	out := map[string]any{}
	for i := range outputs {
		o := &outputs[i]
		v := read.SiteValue{Value: &url}
		if o.Read != ReadURL {
			v, found = found[0], found[1:]
		}
		value, problem := convert(o, v)
		switch {
		case problem == nil:
			out[o.Name] = value
		case o.Required || problem.always:
			d := &Drift{Kind: DriftOutput, Pos: o.Pos, Expected: problem.where + " at " + describePlace(problem.output), Found: problem.reason, Near: problem.near}
			d.Repair = problem.repair()
			return out, d
		}
	}
	return out, nil
}

// misread is an output without its value.
type misread struct {
	where, reason string
	near          []string
	output        *Output // whose place it is
	list          *Output // whose member it is; nil for none
	always        bool    // also an optional output may not be read so
}

// convert converts the text at a place to the type of the output.
func convert(o *Output, v read.SiteValue) (any, *misread) {
	if o.List {
		return convertList(o, v)
	}
	if o.Read == ReadPresent || o.Read == ReadCount {
		n, _ := extract.Coerce(deref(v.Value), "integer")
		if o.Read == ReadPresent {
			return n != float64(0) && n != nil, nil
		}
		return n, nil
	}
	if v.Value == nil {
		return nil, &misread{where: "output " + o.Name, reason: v.Problem, near: v.Near, output: o, always: strings.HasSuffix(v.Problem, "elements fit")}
	}
	text := *v.Value
	if o.Pattern != "" {
		form, err := regexp.Compile(o.Pattern)
		if err != nil {
			return nil, &misread{where: "output " + o.Name, reason: err.Error(), output: o, always: true}
		}
		m := form.FindStringSubmatch(text)
		if m == nil {
			return nil, &misread{where: "output " + o.Name + " like " + o.Pattern, reason: fmt.Sprintf("%q", text), output: o}
		}
		text = m[len(m)-1]
	}
	kind := o.Type
	if kind == "" {
		kind = "string"
	}
	if o.Read == ReadNumber && kind == "string" {
		kind = "number"
	}
	if kind == "string" {
		return text, nil
	}
	value, ok := extract.Coerce(text, kind)
	if !ok {
		return nil, &misread{where: "output " + o.Name + ", a " + kind, reason: fmt.Sprintf("%q", text), output: o, always: text != ""}
	}
	return value, nil
}

// convertList converts the rows of a list. A required member that no row has is a misread, and so is
// one that a single row reads as something else than its type.
func convertList(o *Output, v read.SiteValue) (any, *misread) {
	if v.Problem != "" {
		return nil, &misread{where: "output " + o.Name, reason: v.Problem, near: v.Near, output: o, always: true}
	}
	list := make([]any, 0, len(v.Values))
	had := make([]bool, len(o.Members))
	last := make([]*misread, len(o.Members))
	for _, row := range v.Values {
		if len(o.Members) == 0 {
			single := *o
			single.List, single.Type = false, itemType(o)
			value, problem := convert(&single, row)
			if problem != nil {
				problem.output = o
				return nil, problem
			}
			list = append(list, value)
			continue
		}
		record := map[string]any{}
		for i := range o.Members {
			m := &o.Members[i]
			value, problem := convert(m, row.Members[m.Name])
			if problem == nil {
				record[m.Name], had[i] = value, true
				continue
			}
			if problem.list = o; problem.always {
				problem.where = "output " + o.Name + ", " + m.Name
				return nil, problem
			}
			last[i] = problem
		}
		list = append(list, record)
	}
	for i, problem := range last {
		if problem != nil && (!had[i] || o.Members[i].Required) {
			problem.where = "output " + o.Name + ", " + o.Members[i].Name
			problem.always = true
			return nil, problem
		}
	}
	return list, nil
}

// itemType returns the type of a list's values: that of a number where numbers are read.
func itemType(o *Output) string {
	if o.Read == ReadNumber {
		return "number"
	}
	return "string"
}

func deref(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// describePlace returns a place in words.
func describePlace(o *Output) string {
	e := o.Element
	switch {
	case o.Read == ReadURL || e == nil:
		return "the address"
	case e.CSS != "":
		return e.CSS
	case e.Label != "" && (e.Role == "cell" || e.Role == "gridcell"):
		return fmt.Sprintf("column %q", e.Label)
	case e.Label != "" && e.Name == "":
		return fmt.Sprintf("the text beside %q", e.Label)
	}
	if text := strings.TrimSpace(e.String()); text != "" {
		return text
	}
	return e.Tag
}
