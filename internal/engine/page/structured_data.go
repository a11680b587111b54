package page

import (
	"context"
	"fmt"
)

// DataOptions says where to look for data.
type DataOptions struct {
	Ref, Selector string
	// Words are names that elements may be marked with, by class, id and the like.
	Words []string
	// Multiple also looks for like elements that are a record each.
	Multiple bool
}

// StructuredData is what a page says about itself to machines, and what looks like a record.
type StructuredData struct {
	URL string `json:"url"`
	// JSONLD are the texts of JSON-LD scripts, as they are.
	JSONLD []string `json:"jsonLd"`
	// Microdata are top-level microdata items.
	Microdata []map[string]any `json:"microdata"`
	// Meta are meta elements by property or name, and the title.
	Meta [][2]string `json:"meta"`
	// Tables are the visible tables; Headers is empty for those without.
	Tables []Table `json:"tables"`
	// Terms are terms with their definitions, and header cells with the cell beside them.
	Terms [][2]string `json:"terms"`
	// Markup are texts of elements that are marked with a word, by word; Records are those of like elements.
	Markup  [][2]string         `json:"markup"`
	Records []map[string]string `json:"records"`
}

// Table is a table's text.
type Table struct {
	Caption string     `json:"caption"`
	Headers []string   `json:"headers"`
	Rows    [][]string `json:"rows"`
}

// StructuredData gathers data of the document, the tables and marks of one element if that is named.
func (p *Page) StructuredData(ctx context.Context, o DataOptions) (d StructuredData, err error) {
	argument := map[string]any{"words": append([]string{}, o.Words...), "multiple": o.Multiple}
	if o.Ref != "" {
		_, err = p.evaluateRef(ctx, o.Ref, "data", argument, &d)
	} else {
		if o.Selector != "" {
			argument["selector"] = o.Selector
		}
		err = p.evaluateWithRetry(ctx, "data", argument, &d)
	}
	if err != nil {
		return d, fmt.Errorf("looking for data: %w", nameSelector(p.translate(ctx, o.Ref, err), o.Selector))
	}
	return d, nil
}
