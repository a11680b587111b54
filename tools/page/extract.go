package page

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/extract"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/result"
)

// extraction is the answer of extract_data.
type extraction struct {
	URL     string            `json:"url"`
	Data    map[string]any    `json:"data,omitempty"`
	Items   []map[string]any  `json:"items,omitempty"`
	Count   *int              `json:"count,omitempty"`
	Missing []string          `json:"missing,omitempty"`
	From    map[string]string `json:"from,omitempty"`
	Source  string            `json:"source,omitempty"`
	// Frame is the address of the frame that the items are from; "" for the page itself. Also are the
	// frames with other items of the same fields.
	Frame string   `json:"frame,omitempty"`
	Also  []string `json:"also,omitempty"`
	// Unread are frames that did not answer.
	Unread []string `json:"unread_frames,omitempty"`
	// Left counts the records that the budget left out.
	Left int `json:"left_out,omitempty"`
}

// extractBytes is the maximum length of the answer, below the tool's budget.
const extractBytes = 50000

// ExtractData fills the schema from what the page says about itself.
func (t *Tools) ExtractData(ctx context.Context, call *toolkit.Call, in pageapi.ExtractDataParams) (toolkit.Result, error) {
	schema, err := extract.Parse(in.Schema)
	if err != nil {
		return toolkit.Result{}, toolkit.Violations{{Path: "/schema", Problem: err.Error(), Hint: `such as {"title": "string", "price": "number"}`}}
	}
	list := in.Multiple || schema.IsList
	var d read.PageData
	err = t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		d, err = p.Read.StructuredData(ctx, read.DataOptions{Ref: in.Ref.Value, Selector: in.Selector.Value, Words: schema.Names(), Multiple: list})
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	out := extraction{URL: pageURL(d)}
	if list {
		out.list(schema, d)
	} else {
		out.record(schema, d)
	}
	for _, f := range d.Unread {
		out.Unread = append(out.Unread, fmt.Sprintf("[%s] %s did not answer; extract_data with its ref later, or navigate to it", f.Ref, f.URL))
	}
	text, err := json.Marshal(out)
	for err == nil && len(text) > extractBytes && len(out.Items) > 1 {
		keep := len(out.Items) / 2
		out.Left += len(out.Items) - keep
		out.Items = out.Items[:keep]
		text, err = json.Marshal(out)
	}
	if err != nil {
		return toolkit.Result{}, fmt.Errorf("encode the data: %w", err)
	}
	if len(text) > extractBytes {
		return toolkit.Result{}, toolkit.Refuse(toolkit.BudgetExceeded, "the data is too long; ask for fewer fields")
	}
	return toolkit.Text(result.Quote(string(text))), nil
}

// pageURL is the address of the first document.
func pageURL(d read.PageData) string {
	if len(d.Documents) == 0 {
		return ""
	}
	return d.Documents[0].URL
}

// list takes the records of the document that has most of the fields: the page itself before its frames.
func (e *extraction) list(schema extract.Schema, d read.PageData) {
	var best extract.Result
	at := -1
	for i, doc := range d.Documents {
		r := extract.List(schema, source(doc))
		switch {
		case at < 0 || len(r.Missing) < len(best.Missing):
			best, at, e.Also = r, i, nil
		case len(r.Items) > 0 && len(r.Missing) == len(best.Missing):
			e.Also = append(e.Also, fmt.Sprintf("%s has %d more", doc.URL, len(r.Items)))
		}
	}
	if at > 0 {
		e.Frame = d.Documents[at].URL
	}
	n := len(best.Items)
	e.Items, e.Missing, e.Source, e.Count = best.Items, best.Missing, best.Sources[""], &n
}

// record takes each field from the first document that has it: the page itself before its frames.
func (e *extraction) record(schema extract.Schema, d read.PageData) {
	e.Data, e.From = map[string]any{}, map[string]string{}
	left := schema
	for i, doc := range d.Documents {
		r := extract.Record(left, source(doc))
		for name, value := range r.Data {
			e.Data[name], e.From[name] = value, r.Sources[name]
			if i > 0 {
				e.From[name] += " in " + doc.URL
			}
		}
		left.Fields = slices.DeleteFunc(slices.Clone(left.Fields), func(f extract.Field) bool { return !slices.Contains(r.Missing, f.Name) })
	}
	for _, f := range left.Fields {
		e.Missing = append(e.Missing, f.Name)
	}
}

func source(d read.StructuredData) extract.Source {
	s := extract.Source{JSONLD: d.JSONLD, Microdata: d.Microdata, Meta: d.Meta, Terms: d.Terms, Markup: d.Markup, Records: d.Records}
	for _, t := range d.Tables {
		s.Tables = append(s.Tables, extract.Table{Headers: t.Headers, Rows: t.Rows})
	}
	return s
}
