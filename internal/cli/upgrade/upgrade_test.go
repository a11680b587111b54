package upgrade_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/upgrade"
)

func TestAsk(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status     int
		body       string
		want, page string // "" is an error
	}{
		{200, `{"tag_name":"v1.10.0","html_url":"https://example.org/v1.10.0"}`, "1.10.0", "https://example.org/v1.10.0"},
		{200, `{"version":"1.10.0"}`, "1.10.0", ""},
		{200, `{"tag_name":"v1.2.0","html_url":"javascript:alert(1)"}`, "1.2.0", ""},
		{200, `{"tag_name":"nightly"}`, "", ""},
		{200, `{}`, "", ""},
		{200, `<html>`, "", ""},
		{404, `{"tag_name":"v1.2.0"}`, "", ""},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.UserAgent() != "prog/1" || r.URL.RawQuery != "" {
				t.Errorf("%s %s by %s", r.Method, r.URL, r.UserAgent())
			}
			w.WriteHeader(test.status)
			_, _ = fmt.Fprint(w, test.body)
		}))
		got, err := upgrade.Ask(t.Context(), srv.URL, "prog/1")
		srv.Close()
		if got.Version != test.want || got.Page != test.page || (err == nil) != (test.want != "") {
			t.Errorf("%d %s: %+v %v", test.status, test.body, got, err)
		}
	}
	for _, address := range []string{"", "ftp://example.org/", "example.org", "https://"} {
		if _, err := upgrade.Ask(t.Context(), address, "prog/1"); err == nil {
			t.Errorf("%q was asked", address)
		}
	}
}

func TestIsNewer(t *testing.T) {
	t.Parallel()
	r := upgrade.Release{Version: "1.10.0"}
	for version, want := range map[string][2]bool{
		"1.9.0": {true, true}, "v1.9.0": {true, true}, "1.10.0": {false, true}, "1.10.1": {false, true}, "1.10.0-rc.1": {true, true}, "dev": {false, false},
	} {
		if newer, known := r.IsNewer(version); newer != want[0] || known != want[1] {
			t.Errorf("%s: %t %t", version, newer, known)
		}
	}
}

func TestLatestRelease(t *testing.T) {
	t.Parallel()
	if got := upgrade.LatestRelease("https://github.com/a/b"); got != "https://api.github.com/repos/a/b/releases/latest" {
		t.Error(got)
	}
	if got := upgrade.LatestRelease("https://example.org/a/b"); got != "" {
		t.Error(got)
	}
}
