package attacks_test

import (
	"regexp"
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
function stops() { const upper = pw.value.toUpperCase(), letters = [...pw.value], held = {half: pw.value.slice(0, 6)}; debugger; return letters.reverse().join('') }</script>`

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
