package page

import (
	"context"
	"fmt"
)

// DataOptions selects where to look for data.
type DataOptions struct {
	Ref, Selector string
	// Words are names that elements may be marked with, by class, id and similar attributes.
	Words []string
	// Multiple also looks for similar elements that are one record each.
	Multiple bool
}

// StructuredData holds a page's machine-readable data and the elements that look like records.
type StructuredData struct {
	URL string `json:"url"`
	// JSONLD are the texts of JSON-LD scripts.
	JSONLD []string `json:"jsonLd"`
	// Microdata are the top-level microdata items.
	Microdata []map[string]any `json:"microdata"`
	// Meta are meta elements by property or name, and the title.
	Meta [][2]string `json:"meta"`
	// Tables are the visible tables; Headers is empty for those without.
	Tables []Table `json:"tables"`
	// Terms are terms with their definitions, and header cells with the next cell.
	Terms [][2]string `json:"terms"`
	// Markup are texts of elements whose markup names a word, by word. Records are those of similar
	// elements.
	Markup  [][2]string         `json:"markup"`
	Records []map[string]string `json:"records"`
}

// Table is the text of a table.
type Table struct {
	Caption string     `json:"caption"`
	Headers []string   `json:"headers"`
	Rows    [][]string `json:"rows"`
}

// StructuredData reads the data of the document; tables and marked elements of one element if that
// is named.
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
