package upstream

import (
	"strings"
	"testing"
)

func decode(t *testing.T, text string) List {
	t.Helper()
	l, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A record has the schemas to the byte, white space aside, and reads back as it was.
func TestRecord(t *testing.T) {
	l := decode(t, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"b","inputSchema":{"type":"object","properties":{"z":{"minimum":1.0},"a":{"const":"<"}}}},{"name":"a","inputSchema":null}]}}`)
	again, err := ReadRecord(l.Record())
	if err != nil {
		t.Fatal(err)
	}
	if got := string(again.Tools[1].InputSchema); got != `{"type":"object","properties":{"z":{"minimum":1.0},"a":{"const":"<"}}}` {
		t.Error(got)
	}
	if changes := Compare(l, again); len(changes) > 0 {
		t.Error(changes)
	}
	if _, err := ReadRecord([]byte(`{"version":2}`)); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Error(err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"openapi":"3.1.0"}`:               "no list of tools",
		`[{"inputSchema":{}}]`:              "it has no name",
		`[{"name":"a"},{"name":"a"}]`:       `two tools are called "a"`,
		`[{"name":1}]`:                      "tool 1 of the list",
		`{"result":{"tools":"none there"}}`: "no list of tools",
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A changed server is a diff that names the place; the order of members is no change.
func TestCompare(t *testing.T) {
	was := decode(t, `[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}}},{"name":"b","inputSchema":{}},{"name":"d","inputSchema":{"type":"object","x":1}}]`)
	now := decode(t, `[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"number"}}}},{"name":"c","inputSchema":{}},{"name":"d","inputSchema":{"x":1,"type":"object"}}]`)
	changes := Compare(was, now)
	var got []string
	for _, c := range changes {
		got = append(got, c.String())
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{`tool "a" has changed:`, `-        "type": "string"`, `+        "type": "number"`, `tool "b" is gone`, `tool "c" is new`} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing:\n%s", want, all)
		}
	}
	if len(changes) != 3 {
		t.Errorf("%d changes", len(changes))
	}
}
