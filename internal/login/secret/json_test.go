package secret_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/login/secret"
)

// TestRedactedJSONIsValid redacts values that occur in numbers and across JSON punctuation.
func TestRedactedJSONIsValid(t *testing.T) {
	v := vault(t, map[string]string{"PIN": "1234", "WORD": "true", "ODD": `":["`})
	for text, want := range map[string]string{
		`{"ms":51234,"note":"pin 1234 <b>"}`:       `{"ms":"5[secret:PIN]","note":"pin [secret:PIN] <b>"}`,
		`{"a":12345678901234567890,"b":1.5e3}`:     `{"a":"[secret:PIN]567890[secret:PIN]567890","b":1.5e3}`,
		`{"b":true,"a":[0.25,null,{"1234":1234}]}`: `{"a":[0.25,null,{"[secret:PIN]":"[secret:PIN]"}],"b":true}`,
		`{"b":["x"],"a":"1234"}`:                   `{"a":"[secret:PIN]","b":["x"]}`,
		`{"b":"x","a":"pin 1234"}`:                 `{"b":"x","a":"pin [secret:PIN]"}`,
		`{"b":"nothing","a":1}`:                    `{"b":"nothing","a":1}`,
		`1234 is no JSON {`:                        `[secret:PIN] is no JSON {`,
	} {
		if got := string(secret.JSON(v.Redact, []byte(text))); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	layer := secret.NewFiller(v, nil, false).Middleware(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
		return toolkit.CallResult{Structured: []byte(`{"durationMs":51234}`)}, nil
	})
	surface, err := toolkit.NewSurface((&toolkit.Registry{Scopes: []string{"s"}, Tools: []toolkit.Tool{{Name: "time", Scopes: []string{"s"}, Tier: 1}}}).Index(), toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := layer(t.Context(), surface.NewSession("s", nil), toolkit.Request{Tool: "time"})
	if err != nil || !json.Valid(res.Structured) || strings.Contains(string(res.Structured), "1234") {
		t.Errorf("%s, %v", res.Structured, err)
	}
}
