package runner

import (
	"encoding/json"
	"sync"

	"github.com/callsheet/callsheet/internal/workflow/external"
)

// Result is what a step has given, in the one form in which templates see it: text, files, json, structuredContent. It is
// worked out when it is asked for.
type Result struct {
	raw     external.Result
	Skipped bool

	once       sync.Once
	text       string
	json       any
	structured any
}

// NewResult wraps what a call gave back.
func NewResult(raw external.Result) *Result { return &Result{raw: raw} }

// Raw is the result as the server gave it.
func (r *Result) Raw() external.Result { return r.raw }

// size is what the result holds, in bytes.
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
			_ = json.Unmarshal(r.raw.Structured, &r.structured) // the SDK has read it before
		}
		if json.Unmarshal([]byte(r.text), &r.json) != nil {
			r.json = nil
		}
		if r.json == nil {
			r.json = r.structured
		}
	})
}

// files lists what is not text.
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

// Get is a part by name; a name that is none of the parts is looked for in what the tool has returned.
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

// Text is the result in the middle of a text.
func (r *Result) Text() string {
	r.decode()
	return r.text
}

// JSON is the result as one value.
func (r *Result) JSON() any {
	r.decode()
	out := map[string]any{"text": r.text, "files": r.files(), "isError": r.raw.IsError, "ok": !r.raw.IsError && !r.Skipped, "skipped": r.Skipped}
	if r.json != nil {
		out["json"] = r.json
	}
	if r.structured != nil {
		out["structuredContent"] = r.structured
	}
	return out
}

// conditionEnv is the result as conditions see it: every member is there, whether the step has run or not.
func (r *Result) conditionEnv() map[string]any {
	if r == nil {
		r = &Result{Skipped: true}
	}
	r.decode()
	return map[string]any{"text": r.text, "files": r.files(), "isError": r.raw.IsError, "ok": !r.raw.IsError && !r.Skipped,
		"skipped": r.Skipped, "json": r.json, "structuredContent": r.structured}
}
