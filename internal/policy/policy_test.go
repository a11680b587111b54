package policy_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/internal/policy"
)

func names() policy.Vocabulary {
	return policy.Vocabulary{Powers: []string{"clipboard", "navigation", "script"}, Tools: []string{"cookies", "evaluate", "navigate"}}
}

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	f := policy.Parse("p.yaml", []byte(text), names())
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	return f.Policy
}

// TestLookAlikesAreOtherOrigins holds an allow list of one origin against addresses that look like
// it to a person or to a careless parser.
func TestLookAlikesAreOtherOrigins(t *testing.T) {
	t.Parallel()
	p := parse(t, "version: 1\norigins:\n  allow: [https://bank.example, 'https://*.cdn.example', 'http://127.0.0.1:8080', 'https://bücher.example']\n")
	for address, want := range map[string]policy.Verdict{
		"https://bank.example/login?next=/a#b":       policy.Allow,
		"https://BANK.example:443/":                  policy.Allow,
		"https://bank.example./":                     policy.Allow, // the same name in the DNS
		"https://user:pw@bank.example/":              policy.Allow,
		"https://a.b.cdn.example/":                   policy.Allow,
		"https://xn--bcher-kva.example/":             policy.Allow,
		"http://2130706433:8080/":                    policy.Allow,
		"http://0x7f.1:8080/":                        policy.Allow,
		"http://0177.0.0.1:8080/":                    policy.Allow,
		"about:blank":                                policy.Allow,
		"blob:https://bank.example/1-2-3":            policy.Allow,
		"http://bank.example/":                       policy.Deny, // not https
		"https://bank.example:8443/":                 policy.Deny,
		"https://cdn.example/":                       policy.Deny,
		"https://evilcdn.example/":                   policy.Deny,
		"https://bank.example@evil.example/":         policy.Deny,
		"https://bank.example%40evil.example/":       policy.Deny,
		"https://evil.example/https://bank.example/": policy.Deny,
		"https://evil.example#https://bank.example":  policy.Deny,
		"https://evil.example?@bank.example":         policy.Deny,
		`https://evil.example\@bank.example/`:        policy.Deny,
		"https://bank.example.evil.example/":         policy.Deny,
		"https://bank-example/":                      policy.Deny,
		"https://b\u0430nk.example/":                 policy.Deny, // a Cyrillic a
		"https://bank\u3002example.evil.example/":    policy.Deny,
		"https:bank.example.evil.example":            policy.Deny,
		"http://127.0.0.1:8081/":                     policy.Deny,
		"http://[::ffff:127.0.0.2]:8080/":            policy.Deny,
		"data:text/html,<script>1</script>":          policy.Deny,
		"file:///etc/passwd":                         policy.Deny,
		"blob:https://evil.example/1-2-3":            policy.Deny,
		"view-source:https://evil.example/":          policy.Deny,
		"filesystem:https://evil.example/temporary/": policy.Deny,
		"ftp://bank.example/":                        policy.Deny,
		"wss://evil.example/":                        policy.Deny,
		"https://":                                   policy.Deny,
	} {
		if got := p.Navigation(address); got.Verdict != want {
			t.Errorf("%s: %s by %s, want %s", address, got.Verdict, got.Rule, want)
		}
	}
	if got := p.Subresource("wss://bank.example/live"); got.Verdict != policy.Allow {
		t.Errorf("wss: of an allowed https: origin: %+v", got)
	}
	if got := p.Subresource("ws://bank.example/live"); got.Verdict != policy.Deny {
		t.Errorf("ws: of an https: origin: %+v", got)
	}
	d := p.Navigation("https://evil.example/")
	if d.Rule.String() != "p.yaml:3: origins.allow" || !strings.Contains(d.Remedy, "add https://evil.example to origins.allow in p.yaml") {
		t.Errorf("%q, %q", d.Rule, d.Remedy)
	}
}

func TestBlockWinsAndSubresourcesAreApart(t *testing.T) {
	t.Parallel()
	p := parse(t, `version: 1
origins:
  block: ["*://ads.example:*"]
  subresources: {allow: [https://bank.example], block: ["https://bank.example:444"]}
`)
	for address, want := range map[string][2]policy.Verdict{
		"https://ads.example/":      {policy.Deny, policy.Deny},
		"http://ads.example:81/":    {policy.Deny, policy.Deny},
		"https://other.example/":    {policy.Allow, policy.Deny},
		"https://bank.example/":     {policy.Allow, policy.Allow},
		"https://bank.example:444/": {policy.Allow, policy.Deny},
		"data:,x":                   {policy.Allow, policy.Allow},
	} {
		if got := [2]policy.Verdict{p.Navigation(address).Verdict, p.Subresource(address).Verdict}; got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
	if d := p.Endpoint("other.example", "443"); d.Verdict != policy.Allow {
		t.Errorf("a document may come from there: %+v", d)
	}
	if d := p.Endpoint("ads.example", "81"); d.Verdict != policy.Deny {
		t.Errorf("nothing may come from there: %+v", d)
	}
}

// TestNetworks holds the default and strict rules against addresses in all of their forms.
func TestNetworks(t *testing.T) {
	t.Parallel()
	strict := parse(t, "version: 1\nnetworks: {block_private: true, loopback: block, except: [10.1.2.3, 192.168.7.0/24]}\n")
	open := parse(t, "version: 1\nnetworks: {link_local: allow}\n")
	for ip, want := range map[string][3]bool{ // default, strict, open
		"169.254.169.254":        {false, false, true},
		"::ffff:169.254.169.254": {false, false, true},
		"64:ff9b::a9fe:a9fe":     {false, false, true}, // NAT64
		"2002:a9fe:a9fe::1":      {false, false, true}, // 6to4
		"::a9fe:a9fe":            {false, false, true}, // IPv4-compatible
		"fe80::1":                {false, false, true},
		"fe80::1%eth0":           {false, false, true},
		"fd00:ec2::254":          {false, false, true},
		"100.100.100.200":        {false, false, true},
		"10.0.0.1":               {true, false, true},
		"10.1.2.3":               {true, true, true},
		"192.168.7.9":            {true, true, true},
		"172.31.255.255":         {true, false, true},
		"172.32.0.1":             {true, true, true},
		"100.64.0.1":             {true, false, true},
		"fc00::1":                {true, false, true},
		"::ffff:10.0.0.1":        {true, false, true},
		"127.0.0.1":              {true, false, true},
		"127.9.9.9":              {true, false, true},
		"::1":                    {true, false, true},
		"0.0.0.0":                {true, false, true},
		"::":                     {true, false, true},
		"93.184.216.34":          {true, true, true},
		"2606:2800:220:1::1":     {true, true, true},
		"224.0.0.1":              {false, false, false},
	} {
		addr := netip.MustParseAddr(ip)
		got := [3]bool{}
		for i, p := range []*policy.Policy{policy.Default(), strict, open} {
			got[i] = p.Address(addr).Verdict == policy.Allow
		}
		if got != want {
			t.Errorf("%s: %v, want %v", ip, got, want)
		}
	}
	for _, address := range []string{
		"http://169.254.169.254/latest/", "http://2852039166/", "http://0xa9fea9fe/", "http://0251.0376.0251.0376/", "http://169.254.43518/",
		"http://169.254.169.254./", "http://[::ffff:a9fe:a9fe]/", "http://[fe80::1]/", "http://metadata.google.internal/",
		"http://METADATA.google.internal./computeMetadata/v1/", "http://１６９.254.169.254/",
	} {
		if d := policy.Default().Navigation(address); d.Verdict != policy.Deny {
			t.Errorf("%s is allowed by default: %s", address, d.Rule)
		}
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	p := parse(t, `version: 1
decisions:
  - {power: script, origin: https://a.example, decision: allow}
  - {power: script, decision: ask}
  - {tool: "cook*", decision: deny}
`)
	for _, c := range []struct {
		call policy.Call
		want policy.Verdict
		line int
	}{
		{policy.Call{Tool: "evaluate", Powers: []string{"script"}, Origin: "https://a.example/x"}, policy.Allow, 3},
		{policy.Call{Tool: "evaluate", Powers: []string{"script"}, Origin: "https://b.example/x"}, policy.Ask, 4},
		{policy.Call{Tool: "evaluate", Powers: []string{"script"}}, policy.Ask, 4},
		{policy.Call{Tool: "cookies", Origin: "https://a.example/x"}, policy.Deny, 5},
		{policy.Call{Tool: "cookies", Powers: []string{"script"}, Origin: "https://a.example/x"}, policy.Allow, 3},
		{policy.Call{Tool: "cookies", Powers: []string{"script", "clipboard"}, Origin: "https://a.example/x"}, policy.Deny, 5},
		{policy.Call{Tool: "navigate", Powers: []string{"navigation"}}, policy.Allow, 0},
	} {
		if d := p.Call(c.call); d.Verdict != c.want || d.Rule.Pos.Line != c.line {
			t.Errorf("%+v: %s by %s, want %s by line %d", c.call, d.Verdict, d.Rule, c.want, c.line)
		}
	}
}

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	f := policy.Parse("p.yaml", []byte(`version: 2
orgins: {}
origins:
  allow: [https://u@x.example, https://x.example/path, "gopher://x", "https://x:99999", 7]
networks: {loopback: maybe, block_private: 1, except: [10.0.0.0/99]}
decisions:
  - {power: scirpt, decision: ask}
  - {tool: evalute, decision: dney}
  - {power: script}
limits: {calls_per_minute: 0, download_bytes: lots, session_time: 5}
`), names())
	var b strings.Builder
	if err := f.Diags.Sorted().Fprint(&b, diag.Text, nil); err != nil {
		t.Fatal(err)
	}
	want := `p.yaml:1:10: version must be 1 [policy-value]
p.yaml:2:1: unknown key "orgins" in the policy; did you mean "origins"? [policy-unknown-key]
p.yaml:4:11: "https://u@x.example" has user info, which is no part of an origin; write https://host, https://*.host:port, host, or a scheme such as data: [policy-origin]
p.yaml:4:32: "https://x.example/path" has a path; an origin ends after the host and the port; write https://host, https://*.host:port, host, or a scheme such as data: [policy-origin]
p.yaml:4:56: "gopher://x" has a scheme that is not http, https, ws or wss; write https://host, https://*.host:port, host, or a scheme such as data: [policy-origin]
p.yaml:4:70: "https://x:99999" has no valid port; write https://host, https://*.host:port, host, or a scheme such as data: [policy-origin]
p.yaml:4:89: allow must be text, not a number [policy-value]
p.yaml:5:22: loopback cannot be "maybe"; valid here: allow, block [policy-value]
p.yaml:5:44: block_private must be true or false, not a number [policy-value]
p.yaml:5:56: "10.0.0.0/99" is not an address or a range; write 10.0.0.8 or 10.0.0.0/8 [policy-value]
p.yaml:7:13: there is no power "scirpt"; did you mean "script"? [policy-unknown-name]
p.yaml:8:12: there is no tool "evalute"; did you mean "evaluate"? [policy-unknown-name]
p.yaml:8:31: decision cannot be "dney"; did you mean "deny"? [policy-value]
p.yaml:9:5: the decision is missing; add decision: allow, ask or deny [policy-missing]
p.yaml:10:28: calls_per_minute must be a whole number between 1 and 1000000 [policy-value]
p.yaml:10:47: download_bytes must be a size such as 500kB or 20MB [policy-value]
p.yaml:10:67: session_time must be a time such as 90s, 30m or 8h [policy-value]
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if f.Policy != nil || f.Err() == nil {
		t.Error("a policy with errors is usable")
	}
	for _, text := range []string{"", "# nothing\n", "[]", "version: 1\norigins: {allow: &x [a]}\n", "\xff"} {
		if policy.Parse("p.yaml", []byte(text), names()).Err() == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// A key of a policy that lacks its colon is named, also inside of a section.
func TestKeyWithoutColon(t *testing.T) {
	t.Parallel()
	for text, key := range map[string]string{
		"version: 1\nlimits:\n  downloads: 3\n  calls_per_minute 5\n":       "calls_per_minute",
		"version: 1\nnetworks:\n  loopback: allow\n  link_local block\n":    "link_local",
		"version: 1\ndecisions:\n  - tool: evaluate\n    decision ask\n":    "decision",
		"version: 1\norigins:\n  allow: [https://a.example]\n  block all\n": "block",
	} {
		f := policy.Parse("p.yaml", []byte(text), names())
		if len(f.Diags) != 1 || !strings.Contains(f.Diags[0].Message, `"`+key+`" has no colon`) {
			t.Errorf("%q: %v", text, f.Diags)
		}
	}
}
