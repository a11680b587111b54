package attacks_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// mirrorForm is a login page that repeats the password in attributes, texts, requests, messages, its address and title.
const mirrorForm = loginForm + `<p id=echo>echo</p><a id=link href="#">Link</a><script>
pw.addEventListener('input', () => {
  const v = pw.value;
  pw.setAttribute('value', v); echo.title = v; echo.textContent = v; link.href = '/go?p=' + encodeURIComponent(v);
  document.title = v; console.log(v); fetch('typed?p=' + encodeURIComponent(v)); history.replaceState(null, '', '?p=' + encodeURIComponent(v));
});</script>`

// guesses are the calls that ask about a text of the page.
var guesses = []struct {
	tool string
	args func(part string) args
}{
	{"find", func(p string) args { return args{"query": "/^" + p + "/"} }},
	{"find", func(p string) args { return args{"query": p + "ub4dor"} }},
	{"query_dom", func(p string) args { return args{"method": "css", "selector": "input[value^='" + p + "']"} }},
	{"query_dom", func(p string) args { return args{"method": "xpath", "xpath": "//*[starts-with(@title,'" + p + "')]"} }},
	{"read_page", func(p string) args { return args{"selector": "[title^='" + p + "']"} }},
	{"page_content", func(p string) args { return args{"selector": "[href*='=" + p + "']"} }},
	{"wait_for", func(p string) args { return args{"type": "selector", "value": "[value^='" + p + "']", "timeout": 200} }},
	{"wait_for", func(p string) args { return args{"type": "text", "value": p + "ub", "timeout": 200} }},
	{"wait_for", func(p string) args { return args{"type": "url_match", "value": "/p=" + p + "/", "timeout": 200} }},
	{"oc_assert", func(p string) args {
		return args{"contract": `{"element":{"selector":"[title^='` + p + `']","state":"visible"}}`, "timeout_ms": 0}
	}},
	{"oc_assert", func(p string) args { return args{"contract": `{"dom_text":"` + p + `ub"}`, "timeout_ms": 0} }},
	{"oc_assert", func(p string) args { return args{"contract": `{"url":"p=` + p + `"}`, "timeout_ms": 0} }},
	{"inspect", func(p string) args { return args{"query": p + "ub4dor"} }},
	{"find", func(p string) args { return args{"query": "text=" + p + "ub4dor"} }},
	{"interact", func(p string) args { return args{"query": "p:has-text('" + p + "')", "action": "hover"} }},
	{"query_dom", func(p string) args { return args{"method": "css", "selector": "label:has(input[value^='" + p + "'])"} }},
	{"query_dom", func(p string) args { return args{"method": "css", "selector": "p:not([title^='" + p + "'])"} }},
	{"query_dom", func(p string) args {
		return args{"method": "xpath", "xpath": "//p[string-length(substring-before(., '" + p + "')) = 0 and contains(., '" + p + "')]"}
	}},
	{"wait_for", func(p string) args {
		return args{"type": "selector_hidden", "value": "[title^='" + p + "']", "timeout": 200}
	}},
	{"wait_for", func(p string) args { return args{"type": "text_gone", "value": p + "ub", "timeout": 200} }},
	{"drag_drop", func(p string) args { return args{"sourceSelector": "[title^='" + p + "']", "end": []int{5, 5}} }},
	{"click_element", func(p string) args { return args{"selector": "[title^='" + p + "']"} }},
	{"extract_data", func(p string) args {
		return args{"selector": "[title^='" + p + "']", "schema": `{"type":"object","properties":{"title":{"type":"string"}}}`}
	}},
	{"styles", func(p string) args { return args{"selector": "[title^='" + p + "']", "properties": []string{"color"}} }},
	{"interact", func(p string) args { return args{"query": p + "ub4dor", "action": "hover"} }},
	{"act", func(p string) args {
		return args{"steps": []any{args{"action": "select_text", "query": "Password", "value": p}}}
	}},
	{"act", func(p string) args { return args{"steps": []any{args{"action": "select_text", "value": p}}} }},
	{"query_elements", func(p string) args { return args{"selector": "p", "text_contains": p} }},
	{"inspect_element", func(p string) args { return args{"tag": "p", "attributes": []string{"title=" + p}} }},
	{"switch_target", func(p string) args { return args{"title": p} }},
	{"switch_target", func(p string) args { return args{"url": "*p=" + p + "*"} }},
	{"network_capture_lite", func(p string) args { return args{"action": "get", "filter": "p=" + p} }},
	{"network_capture_full", func(p string) args { return args{"action": "get", "pattern": "p=" + p} }},
	{"console_capture", func(p string) args { return args{"action": "get", "contains": p} }},
	{"console_capture", func(p string) args { return args{"action": "get", "pattern": "^" + p} }},
}

// debuggedForm is a login page whose script holds the password in other forms when it stops, and in the address of a script.
const debuggedForm = loginForm + `<button onclick="stops()">Stop</button><script>
pw.addEventListener('input', () => {
  const s = document.createElement('script');
  s.textContent = 'function named() {\nreturn 1 }\n//# sourceURL=http://names.test/' + encodeURIComponent(pw.value) + '/named.js'; document.body.append(s);
});
function stops() { const upper = pw.value.toUpperCase(), letters = [...pw.value], held = {half: pw.value.slice(0, 6)}; debugger; return letters.join('|') }</script>`

// unstable are the parts of an answer that differ from call to call.
var unstable = regexp.MustCompile(`[a-z]+://\S+|\b(?:artifact|page|p|e)[-_]?[0-9a-f]+\b|[0-9.]+ ?(?:ms|s)\b|"ms":\d+|waited \S+|</?page \w+>|\b[0-9a-f]{6,}\b`)

// stable returns an answer without those parts, and without hints, which depend on the calls before.
func stable(text string) string {
	return unstable.ReplaceAllString(regexp.MustCompile(`hint: .*`).ReplaceAllString(text, ""), "")
}

// answered calls a tool until it has looked at the page in its time, which a busy machine may not leave it.
func (c *client) answered(tool string, a args) answer {
	for {
		if got := c.call(tool, a); !strings.Contains(got.text, "nothing was seen") || c.Context().Err() != nil {
			return got
		}
	}
}

// transformingForm repeats the password in other forms, in all that a page says.
const transformingForm = loginForm + `<button onclick="throw new Error('refused: ' + pw.value.toUpperCase())">Throw</button>
<button onclick="tell()">Say</button><p id=shown></p><script>
window.kept = [];
function tell() {
  const v = pw.value, codes = [...v].map((l) => l.charCodeAt(0)), forms = [[...v].reverse().join(''), v.toUpperCase(), v.toLowerCase(), codes.join(),
    codes.join(', '), btoa([...v].reverse().join('')), [...v].join(' '), JSON.stringify([...v]), codes.map((c) => '&#' + c + ';').join(''),
    codes.map((c) => c.toString(16)).join(' '), codes.map((c) => '%' + c.toString(16)).join(''), JSON.stringify(new Uint8Array(codes))];
  for (const f of forms) {
    console.log('said ' + f); console.error(new Error(f)); kept.push('kept ' + f); Promise.reject(new Error('rejected ' + f));
    fetch('{bank}/echo?v=' + encodeURIComponent(f), {method: 'POST', body: f}).catch(() => 0);
  }
  console.log(codes, {v: v.toUpperCase()}); shown.textContent = forms.join('\\n'); document.title = forms[0]; localStorage.kept = forms[1];
}</script>`

// Attacks by queries on pages that repeat a secret.
var _ = add(
	attack{
		name: "secrets_guessed_by_queries", about: "queries of every tool ask for the password letter by letter, on a page that repeats it; a right guess is answered as a wrong one",
		with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			s.bankPage("/mirror", mirrorForm)
			c.ok("navigate", args{"url": s.bankURL("/mirror")})
			c.ok("network_capture_full", args{"action": "start"})
			c.ok("debugger_enable", nil)
			c.ok("form_input", args{"query": "Password", "value": namedPassword})
			for i, guess := range guesses {
				right, wrong := c.answered(guess.tool, guess.args("Tr0")), c.answered(guess.tool, guess.args("Qr0"))
				if right.code == "INVALID_ARGUMENTS" && right.code == wrong.code {
					c.Errorf("%d %s is no guess: %s", i, guess.tool, right.text)
				}
				got, want := stable(right.text), stable(strings.ReplaceAll(wrong.text, "Qr0", "Tr0"))
				if got != want || right.refused != wrong.refused {
					c.Errorf("%d %s %v: the right guess is answered with\n%s\nand a wrong one with\n%s", i, guess.tool, guess.args("Tr0"), got, want)
				}
			}
			c.refused("POLICY_DENIED", "debugger_set_breakpoint", args{"kind": "xhr", "url": "p=T"}, "no script of yours")
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_transformed", about: "a page writes the password backwards, in capitals, as codes and letter by letter into messages, errors, requests, storage and texts; no answer has a form of it",
		with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			s.bankPage("/forms", strings.ReplaceAll(transformingForm, "{bank}", s.bankURL("")))
			c.ok("navigate", args{"url": s.bankURL("/forms")})
			c.ok("network_capture_full", args{"action": "start"})
			c.ok("form_input", args{"query": "Password", "value": namedPassword})
			c.call("interact", args{"query": "Throw"})
			c.ok("interact", args{"query": "Say"})
			c.ok("console_capture", nil)
			c.ok("get_console_logs", nil)
			c.ok("network_capture_full", args{"action": "get"})
			c.ok("read_page", args{"mode": "full"})
			c.ok("storage", args{"storageType": "local", "action": "get", "key": "kept"})
			c.ok("tabs_context", nil)
			said := c.saw()
			reversed := []rune(vaultPassword)
			slices.Reverse(reversed)
			codes := strings.Trim(fmt.Sprintf("%d", []byte(vaultPassword)), "[]")
			for _, form := range []string{
				string(reversed), strings.ToUpper(vaultPassword), strings.ToLower(vaultPassword), codes, strings.ReplaceAll(codes, " ", ","), strings.ReplaceAll(codes, " ", ", "),
				base64.StdEncoding.EncodeToString([]byte(string(reversed)))[:20], strings.Join(strings.Split(vaultPassword, ""), " "), `"T","r","0"`, "&#84;&#114;", "54 72 30 75", "%54%72%30", `"0":84,"1":114`,
				strings.ToUpper(url.QueryEscape(vaultPassword)),
			} {
				if at := strings.Index(said, form); at >= 0 {
					c.Errorf("%q is in %q", form, said[max(0, at-100):min(len(said), at+100)])
				}
			}
			if !strings.Contains(said, "[secret:PASSWORD]") {
				c.Error("the page said nothing")
			}
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_in_debugger", about: "a paused page shows its variables, and patterns of scripts match a part of an address with the password; neither tells it",
		with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			s.bankPage("/debugged", debuggedForm)
			patterns := []string{"http://names.test/Tr0*/named.js", "/test.Tr0u/"}
			c.ok("navigate", args{"url": s.bankURL("/debugged")})
			c.ok("debugger_enable", nil)
			c.ok("form_input", args{"query": "Password", "value": namedPassword})
			for _, p := range patterns {
				c.refused("POLICY_DENIED", "debugger_set_breakpoint", args{"kind": "line", "url": p, "line_number": 2}, "no script of yours")
				c.refused("POLICY_DENIED", "debugger_blackbox", args{"action": "add", "pattern": p}, "no script of yours")
			}
			c.ok("debugger_set_breakpoint", args{"kind": "line", "url": "named.js", "line_number": 2})
			c.refused("PAUSED", "interact", args{"query": "Stop button"})
			c.ok("debugger_get_call_stack", nil, "letters", "not shown")
			c.ok("debugger_step_over", nil, "letters", "not shown")
			c.ok("debugger_step_out", nil)
			c.lacks(c.saw(), strings.ToUpper(vaultPassword[:8]), vaultPassword[:6], `"T", "r"`)
			c.ok("debugger_disable", nil)
			c.ok("navigate", args{"url": s.bankURL("/debugged")})
			c.ok("debugger_enable", nil)
			c.ok("debugger_blackbox", args{"action": "add", "pattern": patterns[0]})
			c.refused("POLICY_DENIED", "form_input", args{"query": "Password", "value": namedPassword})
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_guessed_by_rules", about: "a rule blocks requests by a part of the password; it blocks none", with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			s.bankPage("/mirror", mirrorForm)
			c.ok("navigate", args{"url": s.bankURL("/mirror")})
			c.ok("request_intercept", args{"action": "add", "do": "block", "pattern": "*p=Tr0*"})
			c.ok("form_input", args{"query": "Password", "value": namedPassword})
			if got := c.ok("request_intercept", args{"action": "list"}); !strings.Contains(got, "used 0 times") {
				c.Errorf("the rule tells the password: %s", got)
			}
			s.keeps(c)
		},
	},
)
