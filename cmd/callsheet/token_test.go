package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
)

// tokenServer is a server over HTTP whose configuration file has tokens.
type tokenServer struct {
	t         *testing.T
	dir, path string
	url       string
	log       *bufio.Reader
}

// run runs callsheet token and returns what it prints.
func (s *tokenServer) run(code int, args ...string) string {
	s.t.Helper()
	cmd := command(s.t, append([]string{"token"}, args...)...)
	cmd.Env = append(cmd.Env, options.FileVariable+"="+s.path, "XDG_STATE_HOME="+s.dir)
	out, _ := cmd.CombinedOutput() // the exit code says it
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("token %v: exit %d, want %d: %s", args, got, code, out)
	}
	return strings.TrimSpace(string(out))
}

// post sends a request with a token and returns its status and answer.
func (s *tokenServer) post(token, body string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestNamedTokens adds, lists and revokes tokens while a server runs: each is a principal with the powers of its token.
func TestNamedTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &tokenServer{t: t, dir: dir, path: filepath.Join(dir, "callsheet.yaml")}
	full := s.run(exit.OK, "add", "ada")
	limited := s.run(exit.OK, "add", "ci", "--powers", "window,navigation", "--expires", "2999-12-31")
	text, err := os.ReadFile(s.path)
	if err != nil || len(full) < 20 || strings.Contains(string(text), full) || strings.Contains(string(text), limited) {
		t.Fatalf("%v: tokens %q and %q in\n%s", err, full, limited, text)
	}
	none := s.run(exit.OK, "add", "reader", "--powers", "")
	if got := s.run(exit.OK, "list"); !regexp.MustCompile(`(?s)ada +all +never.*ci +navigation, window +2999-12-31`).MatchString(got) {
		t.Errorf("list:\n%s", got)
	}
	for name, args := range map[string][]string{
		"a second one of a name": {"add", "ada"}, "an unknown power": {"add", "bob", "--powers", "navigaton"}, "a day that is over": {"add", "bob", "--expires", "2020-01-31"},
		"no name": {"add"}, "a name with a colon": {"add", "a: b"}, "one that is not there": {"revoke", "bob"},
	} {
		if got := s.run(exit.Usage, args...); got == "" {
			t.Errorf("%s is refused without a word", name)
		}
	}
	s.serve()
	const list, script = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"javascript_tool","arguments":{"code":"1"}}}`
	if _, got := s.post(full, list); !strings.Contains(got, `"javascript_tool"`) {
		t.Errorf("a token with every power lists %.300s", got)
	}
	if _, got := s.post(limited, list); strings.Contains(got, `"javascript_tool"`) || !strings.Contains(got, `"navigate"`) && !strings.Contains(got, `"read_page"`) {
		t.Errorf("a token without the power script lists %.300s", got)
	}
	if _, got := s.post(limited, script); !strings.Contains(got, "TOOL_DISABLED") {
		t.Errorf("a token without the power script calls: %s", got)
	}
	address := strings.Replace(strings.Replace(script, "javascript_tool", "navigate", 1), `"code":"1"`, `"url":"data:text/html,<script>document.title=1</script>"`, 1)
	if _, got := s.post(limited, address); !strings.Contains(got, "POLICY_DENIED") {
		t.Errorf("a token without the power script runs one by an address: %s", got)
	}
	if _, got := s.post(none, strings.Replace(script, "javascript_tool", "navigate", 1)); !strings.Contains(got, "TOOL_DISABLED") {
		t.Errorf("a token without powers navigates: %s", got)
	}
	s.refuse("", "missing")
	s.refuse("a-token-of-nobody", "wrong")
	late := s.run(exit.OK, "add", "late")
	if status, got := s.post(late, list); status != http.StatusOK {
		t.Errorf("a token that was added to a running server: %d %s", status, got)
	}
	s.expire("late")
	s.refuse(late, "expired")
	s.run(exit.OK, "revoke", "ada")
	s.refuse(full, "wrong")
	s.run(exit.OK, "revoke", "ci")
	s.run(exit.OK, "revoke", "late")
	s.run(exit.OK, "revoke", "reader")
	s.refuse(limited, "wrong")
	again := s.run(exit.OK, "add", "again")
	if err := os.Rename(s.path, s.path+".gone"); err != nil {
		t.Fatal(err)
	}
	s.refuse(again, "wrong")
	if err := os.Rename(s.path+".gone", s.path); err != nil {
		t.Fatal(err)
	}
	s.run(exit.OK, "revoke", "again")
	if text, _ := os.ReadFile(s.path); !strings.Contains(string(text), "tokens: {}\n") {
		t.Errorf("without a token, a server that starts would serve everybody:\n%s", text)
	}
}

// TestTokensShareOneLimit opens sessions of principals with different powers: together they are at most --max-sessions, and
// none of them takes every place.
func TestTokensShareOneLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &tokenServer{t: t, dir: dir, path: filepath.Join(dir, "callsheet.yaml")}
	ada, ci := s.run(exit.OK, "add", "ada"), s.run(exit.OK, "add", "ci", "--powers", "window,navigation")
	s.serve("--max-sessions", "5", "--state-dir", dir)
	opens := func(token, name string) bool {
		t.Helper()
		_, got := s.post(token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"oc_checkpoint","arguments":{"action":"load"},"_meta":{"callsheet/session":"`+name+`"}}}`)
		refused := strings.Contains(got, "sessions that may be open")
		if !refused && !strings.Contains(got, "NOT_FOUND") {
			t.Fatal(got)
		}
		return !refused
	}
	open := map[string]int{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		if opens(ada, name) {
			open["ada"]++
		}
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		if opens(ci, name) {
			open["ci"]++
		}
	}
	if open["ada"] < 2 || open["ci"] < 1 || open["ada"]+open["ci"] > 5 {
		t.Errorf("open: %v", open)
	}
	if !opens(ada, "a") || !opens(ci, "a") {
		t.Error("an open session is refused a call")
	}
}

func (s *tokenServer) serve(flags ...string) {
	s.t.Helper()
	p := start(s.t, append([]string{"--http", "0", "--config", s.path}, flags...)...)
	s.t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	line, err := p.stderr.ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	s.url, s.log = regexp.MustCompile(`http://[^ \n]+`).FindString(line), p.stderr
}

// refuse sends a request whose token is refused for a reason, which the answer and the log have.
func (s *tokenServer) refuse(token, reason string) {
	s.t.Helper()
	status, got := s.post(token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if status != http.StatusUnauthorized || !strings.Contains(got, "the bearer token "+map[string]string{"missing": "is missing", "wrong": "is wrong", "expired": "has expired"}[reason]) {
		s.t.Errorf("a %s token: %d %s", reason, status, got)
	}
	if line, err := s.log.ReadString('\n'); err != nil || !strings.Contains(line, `msg="authentication failed" address=127.0.0.1 reason="`+reason+` token"`) {
		s.t.Errorf("a %s token: %v is logged as %s", reason, err, line)
	}
}

// expire has a token end before today.
func (s *tokenServer) expire(name string) {
	s.t.Helper()
	text, err := os.ReadFile(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	changed := regexp.MustCompile(`(  `+name+`: \{sha256: "[0-9a-f]+")`).ReplaceAllString(string(text), `$1, expires: "2020-01-31"`)
	if err := os.WriteFile(s.path, []byte(changed), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Chtimes(s.path, time.Time{}, time.Now().Add(time.Second)); err != nil { // a clock of files can be coarse
		s.t.Fatal(err)
	}
}
