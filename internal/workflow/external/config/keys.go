package config

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// keyReader reads the value of one key. A nil read marks a key of other programs that has no effect
// here.
type keyReader struct{ read func(*parser, node) }

// keyReaders has all keys in camelCase; finishCommand reads args.
var keyReaders = map[string]keyReader{
	"type":           {(*parser).readType},
	"command":        {(*parser).readCommand},
	"executable":     {(*parser).readCommand},
	"args":           {},
	"env":            {func(p *parser, n node) { p.s.Env = p.textMap(n) }},
	"cwd":            {func(p *parser, n node) { p.s.Cwd = p.text(n) }},
	"url":            {(*parser).readURL},
	"baseUrl":        {(*parser).readURL},
	"serverUrl":      {(*parser).readURL},
	"headers":        {func(p *parser, n node) { p.s.Headers = p.textMap(n) }},
	"bearerToken":    {func(p *parser, n node) { p.s.BearerToken = p.text(n) }},
	"bearerTokenEnv": {func(p *parser, n node) { p.s.BearerToken = p.variable(n) }},

	"auth":                   {(*parser).readAuth},
	"clientName":             {func(p *parser, n node) { p.s.OAuth.ClientName = p.literal(n) }},
	"oauthScope":             {func(p *parser, n node) { p.s.OAuth.Scope = p.literal(n) }},
	"oauthRedirectUrl":       {func(p *parser, n node) { p.s.OAuth.RedirectURL = p.text(n) }},
	"oauthClientId":          {func(p *parser, n node) { p.s.OAuth.ClientID = p.text(n) }},
	"oauthClientSecret":      {func(p *parser, n node) { p.s.OAuth.ClientSecret = p.text(n) }},
	"oauthClientSecretEnv":   {func(p *parser, n node) { p.s.OAuth.ClientSecret = p.variable(n) }},
	"oauthClientMetadataUrl": {func(p *parser, n node) { p.s.OAuth.ClientMetadataURL = p.text(n) }},

	"description":      {func(p *parser, n node) { p.s.Description = p.literal(n) }},
	"protocolVersion":  {(*parser).readProtocol},
	"timeoutMs":        {func(p *parser, n node) { p.duration(n, &p.s.Timeout) }},
	"startupTimeoutMs": {func(p *parser, n node) { p.duration(n, &p.s.StartupTimeout) }},
	"maxResultBytes":   {func(p *parser, n node) { p.count(n, &p.s.MaxResult) }},
	"maxConcurrency":   {func(p *parser, n node) { p.count(n, &p.s.MaxConcurrency) }},
	"stateful":         {func(p *parser, n node) { p.s.Stateful, p.hasStateful = p.boolean(n), true }},
	"disabled":         {func(p *parser, n node) { p.s.Disabled = p.boolean(n) }},
	"lifecycle":        {(*parser).readLifecycle},
	"allowedTools":     {func(p *parser, n node) { p.s.Allowed = p.names(n) }},
	"blockedTools":     {func(p *parser, n node) { p.s.Blocked = p.names(n) }},

	"package": {}, "tokenCacheDir": {}, "refresh": {}, "oauthCommand": {}, "oauthTokenEndpointAuthMethod": {},
	"httpFetch": {}, "logging": {}, "chromeDevtoolsRelay": {}, "imports": {},
}

// toCamelCase converts a snake_case key to camelCase.
func toCamelCase(key string) string {
	words := strings.Split(key, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

func (p *parser) readType(n node) {
	p.typeText = Text{Raw: p.literal(n), Pos: n.pos}
	switch p.typeText.Raw {
	case "":
	case "stdio":
		p.s.Transport = Stdio
	case "http":
		p.s.Transport = HTTP
	case "streamable-http", "streamableHttp", "streamable_http":
		p.s.Transport = Streamable
	case "sse":
		p.s.Transport = SSE
	default:
		p.reportNotOneOf(n, "stdio", "http", "streamable-http", "sse")
	}
}

func (p *parser) readCommand(n node) {
	if n.kind == '[' {
		p.s.Command = p.texts(n)
		return
	}
	if t := p.text(n); t.Raw != "" {
		p.s.Command, p.isCommandLine = []Text{t}, true
	}
}

func (p *parser) readURL(n node) {
	p.s.URL = p.text(n)
	if raw := p.s.URL.Raw; raw != "" && !strings.HasPrefix(raw, "http://") && !strings.HasPrefix(raw, "https://") &&
		!strings.Contains(raw, "$") {
		p.errorf(n.pos, ruleValue, "url %q must start with http:// or https://", clip(raw))
	}
}

func (p *parser) readAuth(n node) {
	if v := p.literal(n); v == "oauth" {
		p.s.OAuth.IsRequired = true
	} else if v != "" && v != "none" {
		p.s.problems.Warnf(n.pos, ruleIgnoredKey, "auth %q has no effect; only \"oauth\" is supported", clip(v))
	}
}

func (p *parser) readProtocol(n node) {
	switch v := Protocol(p.literal(n)); v {
	case "":
	case Auto, Legacy, Modern:
		p.s.Protocol = v
	case "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05":
		p.s.Protocol = Legacy
	default:
		p.reportNotOneOf(n, string(Auto), string(Legacy), string(Modern))
	}
}

// ephemeralIdle is the idle timeout of an ephemeral server, so that consecutive calls share it.
const ephemeralIdle = time.Second

func (p *parser) readLifecycle(n node) {
	mode, idle := n, node{}
	if n.kind == '{' {
		mode = node{kind: '"', text: "keep-alive", pos: n.pos}
		for _, m := range n.members {
			switch toCamelCase(m.key) {
			case "mode":
				mode = m.value
			case "idleTimeoutMs":
				idle = m.value
			default:
				p.errorf(m.pos, ruleUnknownKey, "unknown key %q", clip(m.key)).Hint = diag.DidYouMean(m.key,
					[]string{"mode", "idleTimeoutMs"})
			}
		}
	}
	switch p.literal(mode) {
	case "ephemeral":
		p.s.Idle = ephemeralIdle
	case "keep-alive", "":
	default:
		p.reportNotOneOf(mode, "keep-alive", "ephemeral")
	}
	if idle.kind != 0 {
		p.duration(idle, &p.s.Idle)
	}
}

func (p *parser) reportNotOneOf(n node, allowed ...string) {
	d := p.errorf(n.pos, ruleValue, "%q is not one of %s", clip(n.text), strings.Join(allowed, ", "))
	d.Hint = diag.DidYouMean(n.text, allowed)
}

// literal reads a string without variables.
func (p *parser) literal(n node) string {
	if n.kind != '"' {
		p.errorf(n.pos, ruleWrongKind, "expected a string, got %s", describeKind(n))
		return ""
	}
	return n.text
}

// text reads a string that may contain variables.
func (p *parser) text(n node) Text {
	t := Text{Raw: p.literal(n), Pos: n.pos}
	if err := t.check(); err != nil {
		p.errorf(n.pos, ruleVariable, "%v", err)
	}
	return t
}

// variable reads the name of a variable.
func (p *parser) variable(n node) Text {
	name := p.literal(n)
	if n.kind == '"' && !isName(name) {
		p.errorf(n.pos, ruleVariable, "%q is not a variable name", clip(name))
		return Text{}
	}
	return Text{Raw: "${" + name + "}", Pos: n.pos}
}

func (p *parser) texts(n node) []Text {
	if n.kind != '[' {
		p.errorf(n.pos, ruleWrongKind, "expected a list of strings, got %s", describeKind(n))
	}
	return slicesx.Map(n.items, p.text)
}

func (p *parser) textMap(n node) map[string]Text {
	if n.kind != '{' {
		p.errorf(n.pos, ruleWrongKind, "expected an object of strings, got %s", describeKind(n))
	}
	out := make(map[string]Text, len(n.members))
	for _, m := range n.members {
		if m.key == "" || strings.ContainsAny(m.key, "=\x00\r\n") {
			p.errorf(m.pos, ruleValue, "%q is not a valid name", clip(m.key))
			continue
		}
		out[m.key] = p.text(m.value)
	}
	return out
}

func (p *parser) names(n node) []string {
	if n.kind != '[' {
		p.errorf(n.pos, ruleWrongKind, "expected a list of tool names, got %s", describeKind(n))
	}
	return slicesx.List(n.items, p.literal)
}

func (p *parser) boolean(n node) bool {
	if n.kind != 't' && n.kind != 'f' {
		p.errorf(n.pos, ruleWrongKind, "expected true or false, got %s", describeKind(n))
	}
	return n.kind == 't'
}

func (p *parser) count(n node, into *int) {
	v, err := strconv.Atoi(n.text)
	if n.kind != '0' || err != nil || v < 1 || v > math.MaxInt32 {
		p.errorf(n.pos, ruleValue, "expected a positive whole number")
		return
	}
	*into = v
}

// duration reads milliseconds.
func (p *parser) duration(n node, into *time.Duration) {
	var ms int
	if p.count(n, &ms); ms > 0 {
		*into = time.Duration(ms) * time.Millisecond
	}
}

func describeKind(n node) string {
	switch n.kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	default:
		return n.text
	}
}
