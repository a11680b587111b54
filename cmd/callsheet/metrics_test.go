package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

// page requests a page beside the protocol with a token, and returns status and text.
func page(t *testing.T, url, token, host string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestMetrics scrapes servers: who may, and that labels have names of tools and codes alone.
func TestMetrics(t *testing.T) {
	t.Parallel()
	const token = "a-token-of-the-operator"
	for _, test := range []struct {
		flags       []string
		without, to int // status without the token, and with it
	}{
		{nil, 404, 404},
		{[]string{"--metrics"}, 200, 200},
		{[]string{"--metrics", "--auth-token", token}, 401, 200},
		{[]string{"--metrics=open", "--auth-token", token}, 200, 200},
		{[]string{"--metrics=off", "--auth-token", token}, 404, 404},
	} {
		s := &tokenServer{t: t, dir: t.TempDir()}
		s.serve(append(test.flags, "--browser", os.Args[0])...)
		base := strings.TrimSuffix(s.url, "/mcp")
		for _, call := range []string{`"find","arguments":{}`, `"find","arguments":{"query":3}`, `"` + token + `\"} 1","arguments":{}`} {
			s.post(token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+call+`}}`)
		}
		if status, _ := page(t, base+"/metrics", "", ""); status != test.without {
			t.Errorf("%v: %d without the token", test.flags, status)
		}
		status, text := page(t, base+"/metrics", token, "")
		if status != test.to {
			t.Errorf("%v: %d with the token", test.flags, status)
		}
		if status, _ := page(t, base+"/metrics", token, "rebound.example"); status == 200 && !strings.Contains(strings.Join(test.flags, " "), "open") {
			t.Errorf("%v: a name of another party is answered", test.flags)
		}
		if test.to == 200 {
			for _, want := range []string{
				`callsheet_call_duration_seconds_count\{tool="find"\} 2`, `callsheet_call_duration_seconds_count\{tool="unknown"\} 1`,
				`callsheet_refusals_total\{code="INVALID_ARGUMENTS",tool="find"\} 2`, `callsheet_calls_running 0`, `callsheet_sessions \d`,
				`callsheet_browsers 0`, `callsheet_tabs 0`, `callsheet_browser_resident_memory_bytes 0`, `process_resident_memory_bytes \d`, `callsheet_build_info\{version="dev"\} 1`,
			} {
				if !regexp.MustCompile(`(?m)^` + want).MatchString(text) {
					t.Errorf("%v: no %s in\n%s", test.flags, want, text)
				}
			}
			if strings.Contains(text, token) {
				t.Errorf("%v: a name of a client is a label", test.flags)
			}
		}
		if status, text := page(t, base+"/readyz", "", ""); status != 200 || text != "ready\n" {
			t.Errorf("%v: %d %s", test.flags, status, text)
		}
	}
}

// TestNotReady asks servers that cannot work, without a token.
func TestNotReady(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/file"
	write(t, file, "")
	for _, flags := range [][]string{
		{"--browser", file + ".gone"}, {"--browser", os.Args[0], "--state-dir", file}, {"--browser", os.Args[0], "--database-url", "postgres://127.0.0.1:1/none"},
	} {
		s := &tokenServer{t: t, dir: t.TempDir()}
		s.serve(append(flags, "--auth-token", "a-token-of-the-operator")...)
		if status, text := page(t, strings.TrimSuffix(s.url, "/mcp")+"/readyz", "", ""); status != 503 || text != "not ready\n" {
			t.Errorf("%v: %d %s", flags, status, text)
		}
	}
}
