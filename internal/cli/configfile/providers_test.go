package configfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestProviders(t *testing.T) {
	t.Parallel()
	f := parsed(t, "version: 1\nproviders:\n  cloud:\n    url: \"wss://b.example/?key={env:KEY}\"\n    headers: {Authorization: \"Bearer {secret:TOKEN}\"}\n    keep-alive: 5s\n  plain: {url: ws://c.example}\n")
	if f.Diags.HasErrors() {
		t.Fatal(f.Err())
	}
	p, err := f.Provider("cloud")
	if err != nil || p.KeepAlive != 5*time.Second || p.Headers["Authorization"] != "Bearer {secret:TOKEN}" {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := f.Provider("plain"); err != nil || p.KeepAlive != defaultKeepAlive {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := f.Provider("clud"); err == nil || !strings.Contains(err.Error(), `did you mean "cloud"?`) {
		t.Errorf("an unknown provider: %v", err)
	}
	if _, err := (*File)(nil).Provider("cloud"); err == nil {
		t.Error("a provider without a file")
	}
}

// TestProviderMistakes plants mistakes and expects each with its place.
func TestProviderMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"providers: 3":                                                 "2:12: providers must be a mapping",
		"providers:\n  a: wss://x":                                     "3:6: provider \"a\" must be a mapping",
		"providers:\n  a: {headers: {X: y}}":                           "3:3: provider \"a\" has no url",
		"providers:\n  a: {url: http://x}":                             "3:12: url must begin with ws:// or wss://",
		"providers:\n  a: {ur: ws://x}":                                "3:7: unknown key \"ur\" of a provider",
		"providers:\n  a: {url: ws://x, headers: 1}":                   "3:29: headers must be a mapping",
		"providers:\n  a: {url: ws://x, keep-alive: soon}":             "3:32: keep-alive must be a time",
		"providers:\n  a: {url: \"ws://x/{token}\"}":                   "3:12: {token} is no placeholder",
		"providers:\n  a: {url: ws://x, headers: {X: [1]}}":            "3:33: X must be a text",
		"provider:\n  a: {url: ws://x}":                                "2:1: unknown key \"provider\"",
		"profiles:\n  p: {providers: {a: {url: ws://x}}}":              "3:7: unknown key \"providers\"",
		"providers:\n  a: {url: \"ws://x\", headers: {X: \"{env:}\"}}": "3:35: {env:} is no placeholder",
	} {
		err := parsed(t, "version: 1\n"+text+"\n").Err()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nsays %v\nand lacks %s", text, err, want)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	look := func(kind string) func(string) (string, error) {
		return func(name string) (string, error) {
			if name == "NONE" {
				return "", errors.New("not set")
			}
			return fmt.Sprint(kind, name, "{env:X}"), nil
		}
	}
	got, err := Expand("a {env:A} b {secret:B} {}", look("e"), look("s"))
	if err != nil || got != "a eA{env:X} b sB{env:X} e{env:X}" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Expand("{secret:NONE}", look("e"), look("s")); err == nil {
		t.Error("a missing secret")
	}
}
