package page

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/extract"
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
	// Left counts the records that the budget left out.
	Left int `json:"left_out,omitempty"`
}

// extractBytes is how long the answer may become, below the tool's budget.
const extractBytes = 50000

// ExtractData fills the schema from what the page says about itself.
func (t *Tools) ExtractData(ctx context.Context, call *toolkit.Call, in pageapi.ExtractDataParams) (toolkit.Result, error) {
	schema, err := extract.Parse(in.Schema)
	if err != nil {
		return toolkit.Result{}, toolkit.Violations{{Path: "/schema", Problem: err.Error(), Hint: `such as {"title": "string", "price": "number"}`}}
	}
	list := in.Multiple || schema.IsList
	var d page.StructuredData
	err = t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		d, err = p.StructuredData(ctx, page.DataOptions{Ref: in.Ref.Value, Selector: in.Selector.Value, Words: schema.Names(), Multiple: list})
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	out := extraction{URL: d.URL}
	if list {
		r := extract.List(schema, source(d))
		out.Items, out.Missing, out.Source = r.Items, r.Missing, r.Sources[""]
		n := len(r.Items)
		out.Count = &n
	} else {
		r := extract.Record(schema, source(d))
		out.Data, out.Missing, out.From = r.Data, r.Missing, r.Sources
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

func source(d page.StructuredData) extract.Source {
	s := extract.Source{JSONLD: d.JSONLD, Microdata: d.Microdata, Meta: d.Meta, Terms: d.Terms, Markup: d.Markup, Records: d.Records}
	for _, t := range d.Tables {
		s.Tables = append(s.Tables, extract.Table{Headers: t.Headers, Rows: t.Rows})
	}
	return s
}
