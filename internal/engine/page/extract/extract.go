package extract

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Source is the data gathered from a page.
type Source struct {
	// JSONLD are texts of JSON-LD; texts that do not parse are skipped.
	JSONLD []string
	// Microdata are microdata items.
	Microdata []map[string]any
	// Meta, Terms and Markup are pairs of a name and a text.
	Meta, Terms, Markup [][2]string
	Tables              []Table
	// Records are texts by field name of similar elements.
	Records []map[string]string
}

// Table is a table with headers: the names of each column, the best first. A table without headers
// names no fields.
type Table struct {
	Headers [][]string
	Rows    [][]string
}

// Result is the outcome of an extraction.
type Result struct {
	// Data holds the fields of one record.
	Data map[string]any
	// Items are the records of a list.
	Items []map[string]any
	// Missing are the fields without a value, in no record of a list.
	Missing []string
	// Sources names for each field its source: json-ld, microdata, meta, table, terms, markup. A
	// list has one source, under "".
	Sources map[string]string
}

// graphDepth bounds how deep a field is searched inside an item.
const graphDepth = 6

// Record fills one record. Machine-readable sources come before visible ones, and the first value
// that fits the type is kept.
func Record(s Schema, src Source) Result {
	r := Result{Data: map[string]any{}, Sources: map[string]string{}}
	linked := graph(src.JSONLD)
	for _, f := range s.Fields {
		for _, from := range []struct {
			name string
			find func(names []string) []any
		}{
			{"json-ld", func(names []string) []any { return inItems(linked, names) }},
			{"microdata", func(names []string) []any { return inItems(src.Microdata, names) }},
			{"markup", func([]string) []any { return inPairs(src.Markup, []string{normalize(f.Name)}) }},
			{"terms", func(names []string) []any { return inPairs(src.Terms, names) }},
			{"table", func(names []string) []any { return inTables(src.Tables, names) }},
			{"meta", func(names []string) []any { return inMeta(src.Meta, names) }},
		} {
			if value, ok := first(from.find(namesOf(f.Name)), f.Type); ok {
				r.Data[f.Name], r.Sources[f.Name] = value, from.name
				break
			}
		}
		if _, ok := r.Data[f.Name]; !ok {
			r.Missing = append(r.Missing, f.Name)
		}
	}
	return r
}

// List fills records from the one source that yields the most fields.
func List(s Schema, src Source) Result {
	best, from, weight := []map[string]any(nil), "", 0
	consider := func(name string, records []map[string]any) {
		sum := 0
		for _, r := range records {
			sum += len(r)
		}
		if sum > weight {
			best, from, weight = records, name, sum
		}
	}
	for _, like := range byType(graph(src.JSONLD)) {
		consider("json-ld", records(s, like))
	}
	for _, like := range byType(src.Microdata) {
		consider("microdata", records(s, like))
	}
	for _, t := range src.Tables {
		consider("table", tableRecords(s, t))
	}
	var marked []map[string]any
	for _, m := range src.Records {
		item := map[string]any{}
		for k, v := range m {
			item[strings.TrimPrefix(k, "@")] = v
		}
		marked = append(marked, item)
	}
	consider("markup", records(s, marked))
	r := Result{Items: best, Sources: map[string]string{}}
	if from != "" {
		r.Sources[""] = from
	}
	for _, f := range s.Fields {
		if !slices.ContainsFunc(best, func(m map[string]any) bool { _, ok := m[f.Name]; return ok }) {
			r.Missing = append(r.Missing, f.Name)
		}
	}
	return r
}

func records(s Schema, items []map[string]any) []map[string]any {
	var out []map[string]any
	for _, item := range items {
		record := map[string]any{}
		for _, f := range s.Fields {
			if value, ok := first(inItems([]map[string]any{item}, namesOf(f.Name)), f.Type); ok {
				record[f.Name] = value
			}
		}
		if len(record) > 0 {
			out = append(out, record)
		}
	}
	return out
}

func tableRecords(s Schema, t Table) []map[string]any {
	var out []map[string]any
	for _, row := range t.Rows {
		record := map[string]any{}
		for _, f := range s.Fields {
			if i := column(t, namesOf(f.Name)); i >= 0 && i < len(row) {
				if value, ok := coerce(row[i], f.Type); ok {
					record[f.Name] = value
				}
			}
		}
		if len(record) > 0 {
			out = append(out, record)
		}
	}
	return out
}

func first(values []any, kind string) (any, bool) {
	for _, v := range values {
		if value, ok := coerce(v, kind); ok {
			return value, true
		}
	}
	return nil, false
}

// graph returns the items of JSON-LD texts, with those of lists and graphs.
func graph(texts []string) []map[string]any {
	var out []map[string]any
	var add func(v any, depth int)
	add = func(v any, depth int) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				add(item, depth)
			}
		case map[string]any:
			out = append(out, v)
			if depth < graphDepth {
				add(v["@graph"], depth+1)
				add(v["itemListElement"], depth+1)
				add(v["item"], depth+1)
			}
		}
	}
	for _, text := range texts {
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			add(v, 0)
		}
	}
	return out
}

// inItems finds values by name, on the items themselves before their nested objects.
func inItems(items []map[string]any, names []string) []any {
	var out []any
	for _, name := range names {
		for _, item := range items {
			for key, v := range item {
				if normalize(key) == name && v != nil {
					out = append(out, v)
				}
			}
		}
	}
	for _, item := range items {
		for _, name := range names {
			out = findNested(item, name, 1, out)
		}
	}
	return out
}

func findNested(item map[string]any, name string, depth int, out []any) []any {
	if depth > graphDepth {
		return out
	}
	for _, key := range sortedKeys(item) {
		inner := item[key]
		if list, ok := inner.([]any); ok && len(list) > 0 {
			inner = list[0]
		}
		deeper, ok := inner.(map[string]any)
		if !ok {
			continue
		}
		for k, v := range deeper {
			if normalize(k) == name && v != nil {
				out = append(out, v)
			}
		}
		out = findNested(deeper, name, depth+1, out)
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func inPairs(pairs [][2]string, names []string) []any {
	var out []any
	for _, name := range names {
		for _, p := range pairs {
			if normalize(p[0]) == name && p[1] != "" {
				out = append(out, p[1])
			}
		}
	}
	return out
}

// inMeta also accepts prefixed names such as og:title.
func inMeta(meta [][2]string, names []string) []any {
	out := inPairs(meta, names)
	return append(out, inPairs(meta, withoutPrefix(names))...)
}

func withoutPrefix(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, "og"+n, "article"+n, "product"+n)
	}
	return out
}

func inTables(tables []Table, names []string) []any {
	var out []any
	for _, t := range tables {
		if i := column(t, names); i >= 0 && len(t.Rows) > 0 && i < len(t.Rows[0]) {
			out = append(out, t.Rows[0][i])
		}
	}
	return out
}

// column returns the column that one of the names means, or -1: by its best name, else by another.
func column(t Table, names []string) int {
	for _, name := range names {
		called := func(h string) bool { return normalize(h) == name }
		if i := slices.IndexFunc(t.Headers, func(of []string) bool { return len(of) > 0 && called(of[0]) }); i >= 0 {
			return i
		}
		if i := slices.IndexFunc(t.Headers, func(of []string) bool { return slices.ContainsFunc(of, called) }); i >= 0 {
			return i
		}
	}
	return -1
}

// byType groups items by their declared type.
func byType(items []map[string]any) [][]map[string]any {
	var order []string
	groups := map[string][]map[string]any{}
	for _, item := range items {
		kind := text(item["@type"])
		if kind == "ListItem" || kind == "ItemList" {
			continue
		}
		if groups[kind] == nil {
			order = append(order, kind)
		}
		groups[kind] = append(groups[kind], item)
	}
	return slicesx.Map(order, func(kind string) []map[string]any { return groups[kind] })
}
