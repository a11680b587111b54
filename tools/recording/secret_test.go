package recording_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveEveryField serves a page that repeats at each key what is typed into it, wherever a page
// can, and says it all again when it was sent.
func serveEveryField(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: servedCookie, Path: "/", HttpOnly: true})
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>Gossip</title><h1>%s</h1>
<form id=form action=/ method=post><label>User <input name=user id=user></label><label>Password <input type=password name=pw id=pw></label>
<label>Code <input name=code id=code></label><button>Log in</button></form><p id=echo></p><script>
  localStorage.setItem('session', JSON.stringify({user: 'ann', access: '%s'}));
  for (const field of document.querySelectorAll('input')) field.addEventListener('input', () => {
    const v = field.value;
    echo.textContent = v; document.title = v || 'Gossip';
    console.log('typed', v); console.error(JSON.stringify({v})); console.warn(btoa(unescape(encodeURIComponent('ann:' + v + ';'))));
    fetch('/echo?q=' + encodeURIComponent(v), {method: 'POST', body: v});
    history.replaceState(null, '', '/?q=' + encodeURIComponent(v));
  });
  form.addEventListener('submit', () => { console.log('sent', pw.value, code.value); console.log(document.cookie); });
</script>`, html.EscapeString(strings.Join([]string{r.FormValue("user"), r.FormValue("pw"), r.FormValue("code")}, " ")), storedToken)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	mux.HandleFunc("/basic", func(w http.ResponseWriter, r *http.Request) {
		if user, pass, ok := r.BasicAuth(); ok {
			fmt.Fprintf(w, "welcome %s", user+strings.Repeat("*", len(pass)))
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// What must be nowhere. Each is another one, so that a leak says where it comes from.
const (
	servedCookie = "srv-9f8e7d6c5b4a"
	storedToken  = "tok_Qm9yZGVybGluZQ77"
	typedByRef   = `tr0ub4dor&"é"<3`
	typedByWords = "batteryStaple#42"
	typedInSteps = "zebra/crossing+9"
	setInSteps   = "umbrella-77-stand"
	typedByKeys  = "Kx7pQ2vZ"
	typedByClick = "m0rning&coffee"
	typedByCSS   = "selector's own 5ecret"
	setByScript  = "scripted-Passw0rd"
	ownCookie    = "mycookie-31415926"
	ownStorage   = "mystorage-27182818"
	basicPass    = "b4sic%credential"
	headerToken  = "hdr.a1b2c3d4e5"
	urlToken     = "urltoken-112358"
)

// encodings lists the ways in which a text may have been written.
func encodings(value string) []string {
	quoted, _ := json.Marshal(value)
	once := string(quoted[1 : len(quoted)-1])
	twice, _ := json.Marshal(once)
	all := []string{
		value, html.EscapeString(value), url.QueryEscape(value), url.PathEscape(value), once, string(twice[1 : len(twice)-1]),
		strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
	}
	for shift := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(".", shift) + value))
		all = append(all, encoded[(shift*8+5)/6:(shift+len(value))*8/6])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestRecordingHoldsNoSecret records a session with passwords typed in every way, one-time codes,
// cookies and stored tokens, on a page that repeats them, and searches everything that was kept or
// exported.
func TestRecordingHoldsNoSecret(t *testing.T) {
	t.Setenv("CALLSHEET_TOTP_EXAMPLE_COM", "otpauth://totp/example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8")
	dir := t.TempDir()
	c, home := tooltest.ConnectWithSecret(t, dir), serveEveryField(t)
	c.Call("oc_recording_start", tooltest.Args{"label": "with {secret:PASSWORD}"})
	open := func() string {
		c.Call("navigate", tooltest.Args{"url": home + "/?access_token=" + urlToken})
		return c.Call("read_page", nil)
	}
	reading := open()
	c.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, "User"), "value": "ann the user"})
	c.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, `"Password"`), "value": typedByRef})
	c.Call("console_capture", nil)
	c.Call("javascript_tool", tooltest.Args{"code": "echo.textContent = pw.value; [document.title, document.cookie, localStorage.session]"})
	c.Call("javascript_tool", tooltest.Args{"code": "pw.value = '" + setByScript + "'; console.log(pw.value); 1"})
	c.Call("page_content", nil)
	codes := regexp.MustCompile(`^\d{8}`).FindString(c.Call("oc_totp_generate", tooltest.Args{"domain": "example.com"}))
	c.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, "Code"), "value": codes})
	c.Call("interact", tooltest.Args{"ref": tooltest.Ref(t, reading, "Log in")})
	c.Call("page_content", nil)
	open()
	c.Call("fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": "User", "value": "ann the user"}, {"query": "Password", "value": typedByWords}}, "submit": "Log in"})
	reading = open()
	c.Call("act", tooltest.Args{"steps": []tooltest.Args{{"action": "click", "ref": tooltest.Ref(t, reading, `"Password"`)}, {"action": "type", "value": typedInSteps}, {"action": "click", "query": "Log in"}}})
	open()
	c.Call("act", tooltest.Args{"steps": []tooltest.Args{{"action": "set", "query": "Password", "value": setInSteps}, {"action": "click", "query": "Log in"}}})
	reading = open()
	c.Call("interact", tooltest.Args{"ref": tooltest.Ref(t, reading, `"Password"`)})
	c.Call("computer", tooltest.Args{"action": "type", "text": typedByClick})
	c.Call("computer", tooltest.Args{"action": "key", "text": "Control+a"})
	for _, key := range typedByKeys {
		c.Call("computer", tooltest.Args{"action": "key", "text": string(key)})
	}
	c.Call("fill_element", tooltest.Args{"selector": "#pw", "text": typedByCSS})
	c.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, `"Password"`), "value": "{secret:PASSWORD}"})
	c.Call("get_console_logs", nil)
	c.Call("cookies", tooltest.Args{"action": "set", "name": "mine", "value": ownCookie})
	c.Call("cookies", tooltest.Args{"action": "get"})
	c.Call("storage", tooltest.Args{"storageType": "local", "action": "set", "key": "mine", "value": ownStorage})
	c.Call("storage", tooltest.Args{"storageType": "local", "action": "get"})
	c.Call("javascript_tool", tooltest.Args{"code": "console.log(document.cookie, JSON.stringify(localStorage)); document.cookie"})
	c.Call("oc_context_export", nil)
	c.Call("http_auth", tooltest.Args{"action": "set", "username": "ann", "password": basicPass})
	c.Call("emulate_environment", tooltest.Args{"headers": []string{"Authorization: Bearer " + headerToken, "X-Plain: visible"}})
	c.Call("navigate", tooltest.Args{"url": home + "/basic"})
	c.Call("oc_recording_stop", nil)

	values := map[string]string{
		"the vault's password": tooltest.Password, "a cookie of the server": servedCookie, "a token in storage": storedToken, "a password by ref": typedByRef,
		"a password by words": typedByWords, "a password in steps": typedInSteps, "a password set in steps": setInSteps,
		"a password by the focus": typedByClick, "a password by selector": typedByCSS, "a password by script": setByScript, "a cookie": ownCookie,
		"a stored value": ownStorage, "a credential": basicPass, "a header": headerToken, "a token in an address": urlToken, "a one-time code": codes,
	}
	var files []string
	for _, format := range []string{"json", "html", "har", "trace"} {
		res := c.Do("oc_recording_export", tooltest.Args{"format": format})
		if res.IsError {
			t.Fatal(tooltest.Text(res))
		}
		for _, link := range tooltest.Links(res) {
			file := c.ReadArtifact(link.URI)
			if format == "trace" {
				file = unzip(t, file)
			}
			files = append(files, file)
		}
	}
	exports := len(files)
	for _, file := range tooltest.FilesContaining(t, dir, "") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(data))
		for what, value := range values {
			expectAbsent(t, what, value, string(data), file)
		}
	}
	for what, value := range values {
		expectAbsent(t, what, value, strings.Join(files[:exports], "\n"), "an export")
	}
	if strings.Contains(files[0], `"Kx7p`) || strings.Contains(files[0], "Kx7pQ2") {
		t.Error("what was typed key by key is in the recording")
	}
	for _, want := range []string{"[masked]", "{secret:PASSWORD}", "ann the user", "X-Plain: visible", `"/value"`, `"/steps/1/value"`, `"/steps/0/value"`, `"/fields/1/value"`} {
		if !strings.Contains(files[0], want) {
			t.Errorf("the recording lacks %q", want)
		}
	}
	if t.Failed() {
		_ = os.WriteFile("/tmp/leak.json", []byte(files[0]), 0o600)
	}
}

// expectAbsent looks for a value in every form, and for all but the end of it.
func expectAbsent(t *testing.T, what, value, text, where string) {
	t.Helper()
	for _, form := range append(encodings(value), encodings(value[:len(value)-1])...) {
		if len(form) < 4 {
			continue
		}
		if at := strings.Index(text, form); at >= 0 {
			t.Errorf("%s is in %s: …%.200q", what, where, text[max(0, at-100):min(len(text), at+60)])
			return
		}
	}
}
