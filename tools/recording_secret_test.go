package tools_test

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
)

// gossip serves a page that repeats at each key what is typed into it, wherever a page can, and says it all again when it was sent.
func gossip(t *testing.T) string {
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
	typedInOrder = "umbrella-77-stand"
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

// formsOf lists the ways in which a text may have been written.
func formsOf(value string) []string {
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

// TestARecordingHoldsNoSecret records a session with passwords typed in every way, one-time codes, cookies and stored tokens, on a page
// that repeats them, and searches everything that was kept or exported.
func TestARecordingHoldsNoSecret(t *testing.T) {
	t.Setenv("CALLSHEET_TOTP_EXAMPLE_COM", "otpauth://totp/example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8")
	dir := t.TempDir()
	c, home := vaulted(t, dir), gossip(t)
	c.call("oc_recording_start", args{"label": "with {secret:PASSWORD}"})
	open := func() string {
		c.call("navigate", args{"url": home + "/?access_token=" + urlToken})
		return c.call("read_page", nil)
	}
	reading := open()
	c.call("form_input", args{"ref": refOf(t, reading, "User"), "value": "ann the user"})
	c.call("form_input", args{"ref": refOf(t, reading, `"Password"`), "value": typedByRef})
	c.call("console_capture", nil)
	c.call("javascript_tool", args{"code": "echo.textContent = pw.value; [document.title, document.cookie, localStorage.session]"})
	c.call("javascript_tool", args{"code": "pw.value = '" + setByScript + "'; console.log(pw.value); 1"})
	c.call("page_content", nil)
	codes := regexp.MustCompile(`^\d{8}`).FindString(c.call("oc_totp_generate", args{"domain": "example.com"}))
	c.call("form_input", args{"ref": refOf(t, reading, "Code"), "value": codes})
	c.call("interact", args{"ref": refOf(t, reading, "Log in")})
	c.call("page_content", nil)
	open()
	c.call("fill_form", args{"fields": []args{{"query": "User", "value": "ann the user"}, {"query": "Password", "value": typedByWords}}, "submit": "Log in"})
	reading = open()
	c.call("act", args{"steps": []args{{"action": "click", "ref": refOf(t, reading, `"Password"`)}, {"action": "type", "value": typedInSteps}, {"action": "click", "query": "Log in"}}})
	open()
	c.call("act", args{"instruction": `type "` + typedInOrder + `" in Password, then click Log in`})
	reading = open()
	c.call("interact", args{"ref": refOf(t, reading, `"Password"`)})
	c.call("computer", args{"action": "type", "text": typedByClick})
	c.call("computer", args{"action": "key", "text": "Control+a"})
	for _, key := range typedByKeys {
		c.call("computer", args{"action": "key", "text": string(key)})
	}
	c.call("fill_element", args{"selector": "#pw", "text": typedByCSS})
	c.call("form_input", args{"ref": refOf(t, reading, `"Password"`), "value": "{secret:PASSWORD}"})
	c.call("get_console_logs", nil)
	c.call("cookies", args{"action": "set", "name": "mine", "value": ownCookie})
	c.call("cookies", args{"action": "get"})
	c.call("storage", args{"storageType": "local", "action": "set", "key": "mine", "value": ownStorage})
	c.call("storage", args{"storageType": "local", "action": "get"})
	c.call("javascript_tool", args{"code": "console.log(document.cookie, JSON.stringify(localStorage)); document.cookie"})
	c.call("oc_context_export", nil)
	c.call("http_auth", args{"action": "set", "username": "ann", "password": basicPass})
	c.call("emulate_environment", args{"headers": []string{"Authorization: Bearer " + headerToken, "X-Plain: visible"}})
	c.call("navigate", args{"url": home + "/basic"})
	c.call("oc_recording_stop", nil)

	values := map[string]string{
		"the vault's password": password, "a cookie of the server": servedCookie, "a token in storage": storedToken, "a password by ref": typedByRef,
		"a password by words": typedByWords, "a password in steps": typedInSteps, "a password in an instruction": typedInOrder,
		"a password by the focus": typedByClick, "a password by selector": typedByCSS, "a password by script": setByScript, "a cookie": ownCookie,
		"a stored value": ownStorage, "a credential": basicPass, "a header": headerToken, "a token in an address": urlToken, "a one-time code": codes,
	}
	var files []string
	for _, format := range []string{"json", "html", "har"} {
		res := c.raw("oc_recording_export", args{"format": format})
		if res.IsError {
			t.Fatal(textOf(res))
		}
		for _, link := range linksOf(res) {
			files = append(files, c.content(link.URI))
		}
	}
	for _, file := range grep(t, dir, "") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(data))
		for what, value := range values {
			search(t, what, value, string(data), file)
		}
	}
	for what, value := range values {
		search(t, what, value, strings.Join(files[:3], "\n"), "an export")
	}
	if strings.Contains(files[0], `"Kx7p`) || strings.Contains(files[0], "Kx7pQ2") {
		t.Error("what was typed key by key is in the recording")
	}
	for _, want := range []string{"[masked]", "{secret:PASSWORD}", "ann the user", "X-Plain: visible", `"/value"`, `"/steps/1/value"`, `"/instruction"`, `"/fields/1/value"`} {
		if !strings.Contains(files[0], want) {
			t.Errorf("the recording lacks %q", want)
		}
	}
	if t.Failed() {
		_ = os.WriteFile("/tmp/leak.json", []byte(files[0]), 0o600)
	}
}

// search looks for a value in every form, and for all but the end of it.
func search(t *testing.T, what, value, text, where string) {
	t.Helper()
	for _, form := range append(formsOf(value), formsOf(value[:len(value)-1])...) {
		if len(form) < 4 {
			continue
		}
		if at := strings.Index(text, form); at >= 0 {
			t.Errorf("%s is in %s: …%.200q", what, where, text[max(0, at-100):min(len(text), at+60)])
			return
		}
	}
}
