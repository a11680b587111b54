package secret_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/login/secret"
)

func vault(t testing.TB, values map[string]string) *secret.Vault {
	t.Helper()
	v, err := secret.New(values)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const pass = `p&s "w<ö/+=\rd`

var percentEncodings = regexp.MustCompile(`%[0-9A-F]{2}`)

// echoes are the ways in which a page or a protocol repeats what it was given.
var echoes = map[string]func(string) string{
	"ASCII JSON": func(s string) string { q := strconv.QuoteToASCII(s); return q[1 : len(q)-1] },
	"JSON twice": func(s string) string { b, _ := json.Marshal(s); b, _ = json.Marshal(string(b)); return string(b) },
	"as it is":   func(s string) string { return "you typed " + s + "!" },
	"JSON":       func(s string) string { b, _ := json.Marshal(map[string]string{"x": "a" + s}); return string(b) },
	"HTML":       html.EscapeString,
	"innerHTML":  func(s string) string { return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s) },
	"attribute":  func(s string) string { return strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(s) },
	"query":      func(s string) string { return "/?q=" + url.QueryEscape(s) + "&x=1" },
	"path":       func(s string) string { return "/" + url.PathEscape(s) + "/x" },
	"lower %2f": func(s string) string {
		return percentEncodings.ReplaceAllStringFunc(url.QueryEscape(s), strings.ToLower)
	},
	"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX":        func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"base64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"Basic auth": func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:"+s)) },
	"backwards":  func(s string) string { r := []rune(s); slices.Reverse(r); return string(r) },
	"upper case in JSON": func(s string) string {
		b, _ := json.Marshal(strings.ToUpper(s))
		return strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(string(b))
	},
	"lower case in a query": func(s string) string { return "?q=" + url.QueryEscape(strings.ToLower(s)) },
	"codes":                 func(s string) string { return "[" + codesOf(s, "%d", ",") + "]" },
	"codes apart":           func(s string) string { return "[" + codesOf(s, "%d", ", ") + "]" },
	"code escapes":          func(s string) string { return codesOf(s, `\u%04x`, "") },
	"numbered characters":   func(s string) string { return codesOf(s, "&#%d;", "") },
	"bytes in hex":          func(s string) string { return fmt.Sprintf("% x", s) },
	"a list of letters":     func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
	"cookie":                func(s string) string { return base64.URLEncoding.EncodeToString([]byte("user=ann;pw=" + s + ";end")) },
}

// codesOf writes the UTF-16 codes of a text.
func codesOf(s, format, separator string) string {
	var parts []string
	for _, unit := range utf16.Encode([]rune(s)) {
		parts = append(parts, fmt.Sprintf(format, unit))
	}
	return strings.Join(parts, separator)
}

func TestRedactEveryEncoding(t *testing.T) {
	v := vault(t, map[string]string{"PW": pass, "OTHER": "another value"})
	for name, echo := range echoes {
		text := echo(pass)
		got := v.Redact(text)
		if got == text || !strings.Contains(got, "[secret:PW]") {
			t.Errorf("%s: %q comes back as %q", name, text, got)
		}
	}
	if got := v.Redact("100%2f3 nothing here"); got != "100%2f3 nothing here" {
		t.Errorf("unrelated text was changed: %q", got)
	}
}

// TestRedactedTextDoesNotDecodeToValue decodes the redacted text of every encoding of any value.
func TestRedactedTextDoesNotDecodeToValue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.StringMatching(`[ -~]{8,30}`).Draw(r, "value")
		v, err := secret.New(map[string]string{"X": value})
		if err != nil {
			r.Fatal(err)
		}
		for name, echo := range echoes {
			if text := echo(value); strings.Contains(v.Redact(text), text) {
				r.Fatalf("%s of %q is left: %q", name, value, text)
			}
		}
	})
}

// TestRedactClippedValues redacts values that a tool has clipped with an ellipsis.
func TestRedactClippedValues(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.StringMatching(`[!-~]{8,30}`).Draw(r, "value")
		v, err := secret.New(map[string]string{"X": value})
		if err != nil {
			r.Fatal(err)
		}
		at := rapid.IntRange(4, len(value)-4).Draw(r, "at")
		if got := v.Redact("It was " + value[:at] + "… and on"); got != "It was [secret:X]… and on" {
			r.Errorf("the beginning %q came back in %q", value[:at], got)
		}
		if got := v.Redact("On …" + value[at:] + " it was"); got != "On …[secret:X] it was" {
			r.Errorf("the end %q came back in %q", value[at:], got)
		}
	})
	v := vault(t, map[string]string{"PW": pass})
	for _, unrelated := range []string{"…", "a … b…", "nothing " + pass[:3] + "…", pass[:6] + " …", "none…here"} {
		if got := v.Redact(unrelated); got != unrelated {
			t.Errorf("%q became %q", unrelated, got)
		}
	}
}

func TestReaderRedactsAcrossChunks(t *testing.T) {
	v := vault(t, map[string]string{"PW": pass})
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Repeat("x", rapid.IntRange(0, 70_000).Draw(r, "before")) + pass + strings.Repeat(pass, rapid.IntRange(0, 3).Draw(r, "more")) + "tail"
		for name, reader := range map[string]io.Reader{"whole": strings.NewReader(text), "one by one": iotest.OneByteReader(strings.NewReader(text[max(0, len(text)-300):]))} {
			got, err := io.ReadAll(v.RedactReader(reader))
			if err != nil {
				r.Fatal(err)
			}
			want := v.Redact(text)
			if name == "one by one" {
				want = v.Redact(text[max(0, len(text)-300):])
			}
			if string(got) != want {
				r.Fatalf("%s: %d bytes, want %d", name, len(got), len(want))
			}
		}
	})
}

func TestMiddlewareRefusesAndRedacts(t *testing.T) {
	v := vault(t, map[string]string{"PW": pass, "USER": "ann@example.com"})
	var got string
	filler := secret.NewFiller(v, nil, false)
	layer := filler.Middleware(func(_ context.Context, _ *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		got = string(req.Args)
		req.Progress(1, 2, "typing "+pass)
		return toolkit.CallResult{Result: toolkit.Text("typed " + pass), Structured: []byte(`{"v":"p\u0026s \"w\u003cö/+=\\rd"}`)}, nil
	})
	typed := toolkit.Traits{Shows: "none", Roles: []toolkit.Parameter{
		{Path: "/value", Role: "typed", Secret: toolkit.SecretTyped}, {Path: "/fields/*/value", Role: "typed", Secret: toolkit.SecretTyped},
	}}
	surface, err := toolkit.NewSurface((&toolkit.Registry{Scopes: []string{"s"}, Tools: []toolkit.Tool{
		{Name: "keep", Scopes: []string{"s"}, Tier: 1, Traits: toolkit.Traits{Keeps: true, Shows: "none"}}, {Name: "fill", Scopes: []string{"s"}, Tier: 1, Traits: typed},
	}}).Index(), toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	call := func(tool, args string) toolkit.CallResult {
		t.Helper()
		got = ""
		res, err := layer(t.Context(), surface.NewSession("s", nil), toolkit.Request{Tool: tool, Args: []byte(args), Progress: func(_, _ float64, message string) {
			if strings.Contains(message, pass) {
				t.Errorf("progress says %q", message)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	args := `{"fields":[{"ref":"e1","value":"x{secret:PW}y"},{"value":"{secret:USER}{totp:example.com}"}]}`
	res := call("fill", args)
	if got != args {
		t.Errorf("the tool got %s", got)
	}
	if all := res.Content[0].Text + string(res.Structured); strings.Contains(all, "w<") || !strings.Contains(all, "[secret:PW]") || strings.Contains(all, `\"w`) {
		t.Errorf("the client got %s", all)
	}
	if call("keep", `{"value":"{secret:PW}"}`); got != `{"value":"{secret:PW}"}` {
		t.Errorf("what is kept is %s", got)
	}
	for _, tc := range []struct{ args, code, says string }{
		{`{"value":"{secret:PWD}"}`, "INVALID_ARGUMENTS", `did you mean \"PW\"`},
		{`{"code":"send('{secret:PW}')"}`, "POLICY_DENIED", "/code of fill takes no secret"},
		{`{"to":"https://evil.example/?{secret:PW}"}`, "POLICY_DENIED", "address"},
		{`{"fields":[{"ref":"{totp:example.com}"}]}`, "POLICY_DENIED", "/fields/0/ref"},
		{`{"note":"\u007bsecret:PW}"}`, "POLICY_DENIED", "/note"},
		{`{"{secret:PW}":1}`, "POLICY_DENIED", "takes no secret"},
	} {
		res := call("fill", tc.args)
		if text := string(res.Structured); !res.Refused || string(res.RefusalCode()) != tc.code || !strings.Contains(text, tc.says) || got != "" {
			t.Errorf("%s: %s, and the tool got %q", tc.args, text, got)
		}
	}
}

// TestValuesAreForTheirOrigins fills values in for origins that they are bound to, and for others.
func TestValuesAreForTheirOrigins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.env")
	text := "PW@https://bank.example=hunter2!\nexport PW@HTTPS://Shop.example:443=\"correct horse\"\nFREE=anywhere\nPIN@http://127.0.0.1:8080=1234\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := secret.Load(path)
	if err != nil || fmt.Sprint(v.Names(), v.Unbound()) != "[FREE PIN PW] [FREE]" {
		t.Fatal(v.Names(), v.Unbound(), err)
	}
	f := secret.NewFiller(v, func(context.Context, string) (string, error) { return "123456", nil }, false)
	for _, tc := range []struct{ text, origin, want string }{
		{"x{secret:PW}y", "https://bank.example", "xhunter2!y"}, {"{secret:PW}", "https://shop.example", "correct horse"},
		{"{secret:PW}", "https://evil.example", "bound to https://bank.example and https://shop.example"},
		{"{secret:PW}", "http://bank.example", "bound to"}, {"{secret:PW}", "https://bank.example:8443", "bound to"},
		{"{secret:PW}", "https://bank.example.evil.example", "bound to"}, {"{secret:PW}", "https://login.bank.example", "bound to"},
		{"{secret:PW}", "null", "no origin"}, {"{secret:PW}", "", "no origin"}, {"{secret:FREE}", "null", "anywhere"},
		{"{secret:FREE}{secret:PW}", "https://evil.example", "bound to"}, {"{secret:PIN}", "http://127.0.0.1:8080", "1234"},
		{"{secret:NONE}", "https://bank.example", "there is no secret"}, {"{totp:bank.example}", "https://bank.example", "123456"},
		{"{totp:bank.example}", "https://login.bank.example", "123456"}, {"{totp:bank.example}", "https://evilbank.example", "bound to"},
		{"{totp:bank.example}", "http://bank.example", "bound to https://"}, {"{totp:localhost}", "http://localhost:1", "123456"},
		{"{totp:bank.example}", "https://bank.example.evil.example", "bound to"}, {"{totp:bank.example}", "null", "bound to"},
	} {
		got, err := f.Fill(t.Context(), tc.text, tc.origin)
		if err != nil {
			got = err.Error()
		}
		if strings.Contains(got, tc.want) != true || err != nil && strings.Contains(got, "hunter2") {
			t.Errorf("%s for %s is %q, want %q", tc.text, tc.origin, got, tc.want)
		}
	}
	for _, wrong := range []string{"PW@bank.example=hunter2!", "PW@https://bank.example/login=hunter2!", "PW@https://*.example=hunter2!", "PW@ftp://bank.example=hunter2!",
		"PW@https://ann:x@bank.example=hunter2!", "A=\"x\nPW@https://bank.example=hunter2!\"", "PW@https://a.example=hunter2!\nPW@https://a.example=hunter3!"} {
		if err := os.WriteFile(path, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := secret.Load(path); err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestLogsAreRedacted(t *testing.T) {
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(vault(t, map[string]string{"PW": "hunter2!"}).RedactWriter(&out), nil))
	log.Info("typed hunter2!", "value", "hunter2!", "error", fmt.Errorf("at https://x/?p=%s", url.QueryEscape("hunter2!")))
	if strings.Contains(out.String(), "hunter2") || strings.Count(out.String(), "[secret:PW]") != 3 {
		t.Errorf("the log says %s", out.String())
	}
}

func TestLoad(t *testing.T) {
	write := func(t *testing.T, text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "secrets.env")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	v, err := secret.Load(write(t, "# login\nexport PW='hunter2!'\nPIN=\"1234\"\n", 0o600))
	if err != nil || fmt.Sprint(v.Names()) != "[PIN PW]" {
		t.Fatal(v.Names(), err)
	}
	for name, tc := range map[string]struct {
		text string
		mode os.FileMode
		says string
	}{
		"readable by others": {"PW=hunter2!", 0o644, "chmod 600"},
		"too short":          {"A=123\nB=12", 0o600, "B is shorter"},
		"no dotenv":          {"{{{ hunter2!", 0o600, "no dotenv file"},
	} {
		_, err := secret.Load(write(t, tc.text, tc.mode))
		if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := secret.Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file is no secret")
	}
}

func TestNilVaultChangesNothing(t *testing.T) {
	var v *secret.Vault
	if got := v.Redact("text"); got != "text" || v.Names() != nil || v.Values() != nil {
		t.Error(got)
	}
	if got, err := io.ReadAll(v.RedactReader(strings.NewReader("text"))); err != nil || string(got) != "text" {
		t.Error(string(got), err)
	}
}

func BenchmarkRedact(b *testing.B) {
	v := vault(b, map[string]string{"A": "hunter2!", "B": "correct horse", "C": pass})
	text := strings.Repeat(`- button "Save the draft" [e12] and some more text of a page `, 300)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_ = v.Redact(text)
	}
}
