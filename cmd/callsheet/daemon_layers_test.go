package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerbsHaveTheLayersOfAServer: what a daemon was started with holds for the verbs of every
// scope too.
func TestVerbsHaveTheLayersOfAServer(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	file := filepath.Join(t.TempDir(), "secrets.env")
	if err := os.WriteFile(file, []byte("PW=open-sesame-7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.does("daemon start --secrets " + file)
	s.does("navigate " + url)
	s.does("recording-start --label shell")
	name := s.ref(s.does("snapshot"), "Name")
	if typed := s.does("type " + name + " --text {secret:PW}"); strings.Contains(typed, "open-sesame") {
		t.Errorf("the secret is told: %s", typed)
	}
	s.does("tabs", "typed [secret:PW]") // the page's title repeats what was typed
	s.does("recording-stop", "3 steps")
	s.does("journal --action recent", "navigate", "form_input")
}
