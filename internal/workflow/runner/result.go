package runner

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/callsheet/callsheet/internal/workflow/external"
)

// Result is the result of a step as templates see it: text, files, json and structuredContent. It
// decodes its content on first use.
type Result struct {
	raw     external.Result
	Skipped bool
	Saved   *Saved // the file that keeps the content; nil without saveTo

	once       sync.Once
	text       string
	json       any
	structured any
}

// Saved is a file that keeps the content of a result.
type Saved struct {
	Path  string `json:"path"` // absolute
	Bytes int64  `json:"bytes"`
}

// json returns the file as templates see it.
func (s *Saved) json() any {
	if s == nil {
		return nil
	}
	return map[string]any{"path": s.Path, "bytes": s.Bytes}
}

// NewResult wraps the result of a call.
func NewResult(raw external.Result) *Result { return &Result{raw: raw} }

// Raw returns the result as the server sent it.
func (r *Result) Raw() external.Result { return r.raw }

// Shown returns the part of the result that the caller of the workflow receives: of saved content,
// the path and size.
func (r *Result) Shown() external.Result {
	if r.Saved == nil {
		return r.raw
	}
	structured, _ := json.Marshal(map[string]any{"saved": r.Saved}) // texts and numbers always encode
	note := fmt.Sprintf("saved to %s (%d bytes)", r.Saved.Path, r.Saved.Bytes)
	return external.Result{Content: []external.Content{{Type: external.TypeText, Text: note}}, Structured: structured, IsError: r.raw.IsError}
}

// size returns the size of the content in bytes. A nil Result has size 0.
func (r *Result) size() int {
	if r == nil {
		return 0
	}
	n := len(r.raw.Structured)
	for _, c := range r.raw.Content {
		n += len(c.Text) + len(c.Data)
	}
	return n
}

func (r *Result) decode() {
	r.once.Do(func() {
		for _, c := range r.raw.Content {
			if c.Text == "" || c.Type != external.TypeText && c.Type != external.TypeResource {
				continue
			}
			if r.text != "" {
				r.text += "\n"
			}
			r.text += c.Text
		}
		if len(r.raw.Structured) > 0 {
			_ = json.Unmarshal(r.raw.Structured, &r.structured) // the SDK has decoded it before
		}
		if json.Unmarshal([]byte(r.text), &r.json) != nil {
			r.json = nil
		}
		if r.json == nil {
			r.json = r.structured
		}
	})
}

// files lists the content items that are not text.
func (r *Result) files() []any {
	out := []any{}
	for _, c := range r.raw.Content {
		if c.Data == nil && c.URI == "" {
			continue
		}
		out = append(out, map[string]any{"name": c.Name, "mime": c.MIME, "uri": c.URI, "bytes": int64(len(c.Data))})
	}
	return out
}

// Get returns a part by name. It looks for any other name in the content that the tool returned.
func (r *Result) Get(key string) (any, bool) {
	r.decode()
	switch key {
	case "text":
		return r.text, !r.Skipped
	case "isError":
		return r.raw.IsError, true
	case "ok":
		return !r.raw.IsError && !r.Skipped, true
	case "skipped":
		return r.Skipped, true
	case "files":
		return r.files(), true
	case "json":
		return r.json, r.json != nil
	case "structuredContent":
		return r.structured, r.structured != nil
	case "saved":
		return r.Saved.json(), r.Saved != nil
	}
	for _, v := range []any{r.structured, r.json} {
		if m, ok := v.(map[string]any); ok {
			if out, ok := m[key]; ok {
				return out, true
			}
		}
	}
	return nil, false
}

// Text returns the text content, for use inside of a longer text.
func (r *Result) Text() string {
	r.decode()
	return r.text
}

// JSON returns the result as one JSON object.
func (r *Result) JSON() any {
	r.decode()
	out := map[string]any{"text": r.text, "files": r.files(), "isError": r.raw.IsError, "ok": !r.raw.IsError &&
		!r.Skipped, "skipped": r.Skipped}
	if r.json != nil {
		out["json"] = r.json
	}
	if r.structured != nil {
		out["structuredContent"] = r.structured
	}
	if r.Saved != nil {
		out["saved"] = r.Saved.json()
	}
	return out
}

// conditionEnv returns the result as conditions see it: every member exists, also for a nil Result
// of a step that did not run.
func (r *Result) conditionEnv() map[string]any {
	if r == nil {
		r = &Result{Skipped: true}
	}
	r.decode()
	return map[string]any{"text": r.text, "files": r.files(), "isError": r.raw.IsError, "ok": !r.raw.IsError &&
		!r.Skipped,
		"skipped": r.Skipped, "json": r.json, "structuredContent": r.structured, "saved": r.Saved.json()}
}
