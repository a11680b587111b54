package traffic_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/site/traffic"
)

// TestRecordingHasNoSecrets records secrets in every place where they occur, and replays what is left: a page that
// sends the word in place of its token is answered.
func TestRecordingHasNoSecrets(t *testing.T) {
	t.Parallel()
	const token, session, refresh, csrf, password = "tok-0123456789abcdef", "sess9876543210fedcba", "refresh-abcdef0123456789", "csrf0a1b2c3d4e5f6a7b", "hunter22"
	r := new(traffic.Recorder)
	record := func(method, url, body string, sent, got []browser.HTTPHeader, answer string) {
		r.Record(browser.HTTPRequest{Method: method, URL: url, Type: "fetch", Headers: sent, Body: []byte(body)}, browser.HTTPResponse{Status: 200, Headers: got, Body: []byte(answer)})
	}
	json := []browser.HTTPHeader{{Name: "Content-Type", Value: "application/json"}}
	record("GET", "https://a.example/?access_token="+token, "", []browser.HTTPHeader{{Name: "Referer", Value: "https://a.example/?access_token=" + token}}, nil, "<input name=csrf value="+csrf+">")
	record("POST", "https://a.example/login", "csrf="+csrf+"&password="+password, []browser.HTTPHeader{{Name: "Cookie", Value: "a=b; sid=" + session}},
		append(json, browser.HTTPHeader{Name: "Set-Cookie", Value: "sid=" + session + "; Path=/\nseen=yes; Path=/"}), `{"refresh_token": "`+refresh+`", "password": "Password"}`)
	record("GET", "https://a.example/next", "", []browser.HTTPHeader{{Name: "Authorization", Value: "Bearer " + refresh}, {Name: "X-CSRF-Token", Value: csrf}}, nil, password+" "+session)
	data, sum, err := r.HAR(strings.NewReplacer(password, "[secret:PW]").Replace)
	if err != nil || sum.Requests != 3 || sum.Bodiless != 0 {
		t.Fatal(sum, err)
	}
	for _, s := range []string{token, session, refresh, csrf, password, "seen=yes"} {
		if strings.Contains(string(data), s) {
			t.Errorf("the recording has %s: %s", s, data)
		}
	}
	for _, s := range []string{`\"password\": \"Password\"`, "seen=REDACTED; Path=/"} {
		if !strings.Contains(string(data), s) {
			t.Errorf("the recording lacks %s: %s", s, data)
		}
	}
	file := filepath.Join(t.TempDir(), "a.har")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	replay, err := traffic.Open(file, strings.NewReplacer("stand-in-PW", "[secret:PW]").Replace)
	if err != nil {
		t.Fatal(err)
	}
	var word string
	for _, part := range strings.FieldsFunc(string(data), func(c rune) bool { return strings.ContainsRune(`<>\"=& `, c) }) {
		if strings.HasPrefix(part, "REDACTED-") {
			word = part
			form := browser.HTTPRequest{Method: "POST", URL: "https://a.example/login", Body: []byte("csrf=" + word + "&password=stand-in-PW")}
			if replay.Answer(form).Status == 200 {
				return
			}
		}
	}
	t.Errorf("no form is answered: %s", data)
}
