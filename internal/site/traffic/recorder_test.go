package traffic_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/browser/intercept"

	"github.com/callsheet/callsheet/internal/site/traffic"
)

// TestRecordingHasNoSecrets records secrets in every place where they occur, and replays what is left: a page that
// sends the word in place of its token is answered.
func TestRecordingHasNoSecrets(t *testing.T) {
	t.Parallel()
	const token, session, refresh, csrf, password = "tok-0123456789abcdef", "sess9876543210fedcba", "refresh-abcdef0123456789", "csrf0a1b2c3d4e5f6a7b", "hunter22"
	r := new(traffic.Recorder)
	record := func(method, url, body string, sent, got []intercept.Header, answer string) {
		r.Record(intercept.Request{Method: method, URL: url, Type: "fetch", Headers: sent, Body: []byte(body)}, intercept.Response{Status: 200, Headers: got, Body: []byte(answer)})
	}
	json := []intercept.Header{{Name: "Content-Type", Value: "application/json"}}
	record("GET", "https://a.example/?access_token="+token, "", []intercept.Header{{Name: "Referer", Value: "https://a.example/?access_token=" + token}}, nil, "<input name=csrf value="+csrf+">")
	record("POST", "https://a.example/login", "csrf="+csrf+"&password="+password, []intercept.Header{{Name: "Cookie", Value: "a=b; sid=" + session}},
		append(json, intercept.Header{Name: "Set-Cookie", Value: "sid=" + session + "; Path=/\nseen=yes; Path=/"}), `{"refresh_token": "`+refresh+`", "password": "Password"}`)
	record("GET", "https://a.example/next", "", []intercept.Header{{Name: "Authorization", Value: "Bearer " + refresh}, {Name: "X-CSRF-Token", Value: csrf}}, nil, password+" "+session)
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
			form := intercept.Request{Method: "POST", URL: "https://a.example/login", Body: []byte("csrf=" + word + "&password=stand-in-PW")}
			if replay.Answer(form).Status == 200 {
				return
			}
		}
	}
	t.Errorf("no form is answered: %s", data)
}

// TestRecordedTokensHaveOneWord records a token as a page, a form, a script and a redirect write it: no writing is
// left, and the requests of the page in a replay match those of the recording.
func TestRecordedTokensHaveOneWord(t *testing.T) {
	t.Parallel()
	const token, upload, code = "tok/0123+4567/89abcdef==", "multipart-0123456789", "code.0123456789abcdef"
	r := new(traffic.Recorder)
	record := func(method, url, body string, response intercept.Response) {
		r.Record(intercept.Request{Method: method, URL: url, Type: "document", Body: []byte(body)}, response)
	}
	type header = intercept.Header
	record("GET", "https://a.example/", "", intercept.Response{Status: 200, Headers: []header{{Name: "Content-Type", Value: "text/html; charset=iso-8859-1"}},
		Body: []byte("<p>Gr\xfc\xdfe<input name=csrf_token value=\"tok/0123&#43;4567/89abcdef==\"><input name=upload_token value=" + upload + ">")})
	record("GET", "https://a.example/state", "", intercept.Response{Status: 200, Headers: []header{{Name: "Content-Type", Value: "application/json"}},
		Body: []byte(`{"csrf_token": "tok\/0123+4567\/89abcdef=="}`)})
	record("POST", "https://a.example/keep", "csrf_token=tok%2F0123%2B4567%2F89abcdef%3D%3D", intercept.Response{Status: 303, Headers: []header{{Name: "Location", Value: "/done?code=" + code + "&state=short"}}})
	record("GET", "https://a.example/done?code="+code+"&state=short", "", intercept.Response{Status: 200, Body: []byte("done")})
	record("POST", "https://a.example/file", "--b\r\nContent-Disposition: form-data; name=\"upload_token\"\r\n\r\n"+upload+"\r\n--b--\r\n", intercept.Response{Status: 200})
	data, _, err := r.HAR(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"89abcdef", upload, code} {
		if strings.Contains(string(data), s) {
			t.Errorf("the recording has %s: %s", s, data)
		}
	}
	file := filepath.Join(t.TempDir(), "a.har")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	replay, err := traffic.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := string(replay.Answer(intercept.Request{Method: "GET", URL: "https://a.example/"}).Body)
	_, word, _ := strings.Cut(page, `csrf_token value="`)
	word, _, _ = strings.Cut(word, `"`)
	if !strings.Contains(page, "Gr\xfc\xdfe") {
		t.Errorf("the page is %q", page)
	}
	kept := replay.Answer(intercept.Request{Method: "POST", URL: "https://a.example/keep", Body: []byte("csrf_token=" + word)})
	if kept.Status != 303 {
		t.Fatalf("the form with %q is answered %+v", word, kept)
	}
	for _, h := range kept.Headers {
		if h.Name != "Location" {
			continue
		}
		if done := replay.Answer(intercept.Request{Method: "GET", URL: "https://a.example" + h.Value}); string(done.Body) != "done" {
			t.Errorf("the redirect to %s is answered %+v", h.Value, done)
		}
	}
}

// TestRecordingIsBounded records more than an archive may have.
func TestRecordingIsBounded(t *testing.T) {
	t.Parallel()
	r := new(traffic.Recorder)
	body := make([]byte, 32<<20)
	for range 5 {
		r.Record(intercept.Request{Method: "GET", URL: "https://a.example/"}, intercept.Response{Status: 200, Body: body})
	}
	if _, _, err := r.HAR(nil); err == nil || !strings.Contains(err.Error(), "record fewer tools at once") {
		t.Errorf("160 MiB: %v", err)
	}
}
