package read

import (
	"context"
	"encoding/json"
	"fmt"
)

// SiteValue is the value at one place of a page: a text, a list, or why there is none.
type SiteValue struct {
	Value   *string              `json:"value,omitempty"`
	Values  []SiteValue          `json:"values,omitempty"`  // of a list
	Members map[string]SiteValue `json:"members,omitempty"` // of a row
	Problem string               `json:"problem,omitempty"`
	Near    []string             `json:"near,omitempty"` // names of similar places
}

// SiteValues reads the values at places, which are the locators of a tool's output as JSON, and the
// address of the page. It reads the page and the frames of its own process, and no field that holds a
// secret.
func (rd *Reader) SiteValues(ctx context.Context, places []json.RawMessage) (url string, values []SiteValue, err error) {
	var out struct {
		URL    string      `json:"url"`
		Values []SiteValue `json:"values"`
	}
	err = rd.doc.Translate(ctx, "", rd.doc.EvaluateWithRetry(ctx, "siteValues", map[string]any{"places": places}, &out))
	if err != nil {
		return "", nil, fmt.Errorf("reading values: %w", err)
	}
	return out.URL, out.Values, nil
}
