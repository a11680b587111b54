package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/installation"
	"github.com/callsheet/callsheet/internal/cli/upgrade"
)

func TestUpgrade(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/gone" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `{"tag_name":"v9.1.0","html_url":"https://example.org/9.1.0"}`)
	}))
	t.Cleanup(srv.Close)
	s, _ := atHome(t)
	s.env = append(s.env, upgradeVariable+"="+srv.URL)
	s.does("upgrade", "callsheet dev, installed as binary", "upgrade: replace the file by that of https://github.com/callsheet/callsheet/releases")
	s.does("version")
	s.does("help upgrade", "Exit codes")
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests without --check", n)
	}
	s.does("upgrade --check", "callsheet dev is a development build; the newest version is 9.1.0")
	s.does("upgrade --check --json", `"newest":"9.1.0"`, `"installation":"binary"`)
	if n := asked.Load(); n != 2 {
		t.Errorf("%d requests for two questions", n)
	}
	s.fails(exit.Transport, "upgrade --check --url "+srv.URL+"/gone", "404 Not Found")
	s.fails(exit.Usage, `upgrade --check --url ""`, "there is no address to ask")
}

// TestNewerVersionIsExitCode1 compares with a version that a build has.
func TestNewerVersionIsExitCode1(t *testing.T) {
	t.Parallel()
	for running, want := range map[string]string{
		"1.0.0": "callsheet 1.2.0 is there, and this is 1.0.0\nupgrade: replace the file by that of https://example.org/\n! the tool refused",
		"1.2.0": "callsheet 1.2.0 is the newest version\n! <nil>",
	} {
		var out bytes.Buffer
		release := upgrade.Release{Version: "1.2.0", Page: "https://example.org/"}
		err := program{stdout: &out}.showRelease(release, running, installation.Binary, false)
		if got := fmt.Sprintf("%s! %v", &out, err); got != want {
			t.Errorf("%s: %q, want %q", running, got, want)
		}
	}
}
