package mcpserver

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// TestStates seals answers of every kind, and opens them until they expire.
func TestStates(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	s := newStateSealer([]byte("secret"))
	s.now = func() time.Time { return now }
	want := toolkit.Answers{
		"who":  {Reply: &toolkit.Reply{Action: toolkit.Accept, Values: map[string]any{"name": "Ada Lovelace", "age": 30.0}}},
		"poem": {Text: "rhyme", Sampled: &toolkit.Sampled{Role: "assistant", Model: "m", Content: []toolkit.Content{{Text: "rhyme"}, {Data: []byte{0, 1}, MIME: "image/png"}}}},
		"dirs": {Roots: []toolkit.Root{}},
	}
	state, err := s.seal("ada\x00tool", want)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := base64.RawURLEncoding.DecodeString(state); err != nil || strings.Contains(string(raw), "Ada Lovelace") {
		t.Fatalf("state %q, %v", state, err)
	}
	got, err := s.open("ada\x00tool", state)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
	if _, err := s.open("bob\x00tool", state); err == nil {
		t.Error("another principal opened the state")
	}
	now = now.Add(stateTime + time.Second)
	if _, err := s.open("ada\x00tool", state); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("after %v: %v", stateTime, err)
	}
}
