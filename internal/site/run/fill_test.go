package run

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// fillCases is the table of testdata/fill.json, which the script of package webmcpjs is held against too.
type fillCases struct {
	Addresses []struct {
		Pattern, Address string
		Matches          bool
	}
	Selectors []struct{ Value, Escaped string }
	Filled    []struct {
		Text  json.RawMessage
		Value string
		Want  json.RawMessage
	}
}

func readFillCases(t *testing.T) (cases fillCases) {
	t.Helper()
	data, err := os.ReadFile("testdata/fill.json")
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases.Addresses) == 0 || len(cases.Selectors) == 0 || len(cases.Filled) == 0 {
		t.Fatal("the table is empty: ", err)
	}
	return cases
}

func TestMatchURL(t *testing.T) {
	t.Parallel()
	for _, c := range readFillCases(t).Addresses {
		if got := matchURL(c.Pattern, c.Address); got != c.Matches {
			t.Errorf("%q matches %s: %v", c.Pattern, c.Address, got)
		}
	}
}

func TestEscapeCSS(t *testing.T) {
	t.Parallel()
	for _, c := range readFillCases(t).Selectors {
		if got := escapeCSS(c.Value); got != c.Escaped {
			t.Errorf("%q is escaped as %q, want %q", c.Value, got, c.Escaped)
		}
	}
}

func TestFilling(t *testing.T) {
	t.Parallel()
	for _, c := range readFillCases(t).Filled {
		v, err := decodeJSON(c.Text)
		want, wantErr := decodeJSON(c.Want)
		if err != nil || wantErr != nil {
			t.Fatal(err, wantErr)
		}
		if got := (filling{values: map[string]any{"v": c.Value}}).value("", "", v); !reflect.DeepEqual(got, want) {
			t.Errorf("%s with %q is %v, want %v", c.Text, c.Value, got, c.Want)
		}
	}
}
