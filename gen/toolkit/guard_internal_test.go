package toolkit

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzMember holds the address that the guard reads against what a whole decoder finds, on anything
// that is JSON.
func FuzzMember(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"id":"a"}`, `{"id":"a","id":"b"}`, `{"x":{"id":"a"},"id":"\u0062"}`, `{"\u0069d":"a"}`, `{"id":1}`, `["id"]`, `{"id":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		got, ok := member(args, "id")
		var all map[string]jsontext.Value
		if json.Unmarshal(args, &all, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(false)) != nil {
			return // the decoder of the tool will refuse it; all that matters is that nothing panics
		}
		var want string
		raw, there := all["id"]
		if there = there && json.Unmarshal(raw, &want) == nil && raw.Kind() == '"'; ok != there || got != want && ok {
			t.Errorf("%s: read %q, a decoder reads %q", args, got, want)
		}
	})
}
