package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/hostapi"
)

// Reach is how this server is reached. It holds no token, and none of the flags it was started
// with, which may.
type Reach struct {
	Program string // path of the executable
	URL     string // of the HTTP endpoint; "" on standard input and output
	Guarded bool   // a bearer token is demanded
}

// The hosts.
const (
	claude  = "claude"
	chatgpt = "chatgpt"
	gemini  = "gemini"
)

// settings is where a host has its connectors. The list is closed: no address of a caller is ever
// opened.
func settings(host string) string {
	switch host {
	case claude:
		return "https://claude.ai/settings/connectors"
	case chatgpt:
		return "https://chatgpt.com/#settings/Connectors"
	}
	return "https://gemini.google.com/apps"
}

// OcGetConnectionInfo tells how a host connects to this server.
func (t *Tools) OcGetConnectionInfo(_ context.Context, _ *toolkit.Call, in hostapi.OcGetConnectionInfoParams) (toolkit.Result, error) {
	return toolkit.Text(t.reach.info(string(in.Host))), nil
}

func (r Reach) info(host string) string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch host {
	case claude:
		if r.URL != "" {
			say("Claude Code: claude mcp add --transport http callsheet %s%s", r.URL, r.header())
		}
		say("Claude Code, a server of its own: claude mcp add callsheet -- %s serve", quote(r.Program))
		say("Claude Desktop, in claude_desktop_config.json: %s", r.config())
		say("claude.ai reaches public HTTPS addresses only, at %s", settings(host))
	case gemini:
		if r.URL != "" {
			say("Gemini CLI: gemini mcp add --transport http callsheet %s%s", r.URL, r.header())
		}
		say("Gemini CLI, a server of its own: gemini mcp add callsheet %s serve", quote(r.Program))
		say("or in .gemini/settings.json: %s", r.config())
	case chatgpt:
		say("ChatGPT reaches public HTTPS addresses only: serve with --http and --auth-token behind a tunnel or proxy that speaks HTTPS, "+
			"and add its address at %s (developer mode)", settings(host))
		if r.URL != "" {
			say("the tunnel leads to %s, with --allowed-hosts for its name", r.URL)
		}
	default:
		if r.URL != "" {
			say("Streamable HTTP: %s", r.URL)
		}
		say("standard input and output: %s serve", quote(r.Program))
		say("in the usual mcpServers form: %s", r.config())
	}
	if r.URL != "" && r.Guarded {
		say("the server demands a bearer token, which its operator has: it is not told here")
	}
	return strings.Join(lines, "\n")
}

// header is the flag that carries the token, with a place for it.
func (r Reach) header() string {
	if !r.Guarded {
		return ""
	}
	return ` --header "Authorization: Bearer TOKEN"`
}

func (r Reach) config() string {
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"callsheet": map[string]any{"command": r.Program, "args": []string{"serve"}}}})
	if err != nil { // texts always marshal
		return ""
	}
	return string(text)
}

// quote writes a path for a shell.
func quote(path string) string {
	if !strings.ContainsAny(path, " '\"$`&;()<>|*?") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
