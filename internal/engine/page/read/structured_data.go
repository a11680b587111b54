package read

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// DataOptions selects where to look for data.
type DataOptions struct {
	Ref, Selector string
	// Words are names that elements may be marked with, by class, id and similar attributes.
	Words []string
	// Multiple also looks for similar elements that are one record each.
	Multiple bool
}

// PageData is the data of a page: that of its documents, the page before its frames, and the frames that
// could not be read.
type PageData struct {
	Documents []StructuredData
	Unread    []UnreadFrame
}

// UnreadFrame is a visible frame that did not answer.
type UnreadFrame struct{ Ref, URL string }

// StructuredData holds a document's machine-readable data and the elements that look like records.
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

// Table is the text of a table; a cell that spans rows or columns stands in each of its places.
type Table struct {
	Caption string `json:"caption"`
	// Headers are the names of each column, the best first.
	Headers [][]string `json:"headers"`
	Rows    [][]string `json:"rows"`
}

// StructuredData reads the data of the document and of the visible frames in it; tables and marked
// elements of one element if that is named, which may be a frame.
func (rd *Reader) StructuredData(ctx context.Context, o DataOptions) (d PageData, err error) {
	argument := map[string]any{"words": append([]string{}, o.Words...), "multiple": o.Multiple}
	if o.Ref != "" {
		var w *document.World
		if w, argument["n"], err = rd.doc.LocateRef(ctx, o.Ref); err == nil {
			err = rd.dataIn(ctx, w, argument, &d)
		}
	} else {
		if o.Selector != "" {
			argument["selector"] = o.Selector
		}
		err = rd.doc.WithRetry(ctx, "data", func(top *document.World) error {
			d = PageData{}
			return rd.dataIn(ctx, top, argument, &d)
		})
	}
	if err == nil && len(d.Documents) == 0 && o.Selector != "" {
		err = &document.NoElementError{Selector: o.Selector}
	}
	if err != nil {
		return d, fmt.Errorf("looking for data: %w", document.NameSelector(rd.doc.Translate(ctx, o.Ref, err), o.Selector))
	}
	return d, nil
}

// dataIn adds the data of a document and of the frames in it. A frame that does not answer is unread.
func (rd *Reader) dataIn(ctx context.Context, w *document.World, argument map[string]any, d *PageData) error {
	r, err := rd.doc.EvaluateWithShadows(ctx, w, "data", argument)
	if err != nil {
		return err
	}
	var found struct {
		Matched   bool             `json:"matched"`
		Documents []StructuredData `json:"documents"`
		Frames    []struct {
			Key int    `json:"key"`
			URL string `json:"url"`
			Ref string `json:"ref"`
		} `json:"frames"`
	}
	if err := r.Decode(&found); err != nil {
		return err
	}
	d.Documents = append(d.Documents, found.Documents...)
	if len(found.Frames) == 0 {
		return nil
	}
	below, keys, entered := maps.Clone(argument), []int(nil), map[int]*document.World{}
	delete(below, "n")
	if found.Matched {
		delete(below, "selector") // the whole frame lies in what it matched
	}
	for _, f := range found.Frames {
		keys = append(keys, f.Key)
	}
	for _, child := range rd.doc.Frames.Enter(ctx, w, keys) {
		entered[child.FrameKey] = child
	}
	for _, f := range found.Frames {
		if child := entered[f.Key]; child == nil || !rd.frameData(ctx, child, below, d) {
			d.Unread = append(d.Unread, UnreadFrame{Ref: f.Ref, URL: f.URL})
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("reading the frames: %w", context.Cause(ctx))
	}
	return nil
}

// frameData is dataIn for a frame, within FrameTimeout. It reports whether the frame answered.
func (rd *Reader) frameData(ctx context.Context, w *document.World, argument map[string]any, d *PageData) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(document.Remaining(ctx, document.FrameTimeout))*time.Millisecond)
	defer cancel()
	var own PageData
	err := rd.dataIn(ctx, w, argument, &own)
	d.Documents, d.Unread = append(d.Documents, own.Documents...), append(d.Unread, own.Unread...)
	_, refused := errors.AsType[*document.EngineError](err)
	return err == nil || refused
}
