package attacks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// transport is a way to call tools.
type transport string

// The transports. An attack on overNothing does not call tools as a client: it has a server, and
// makes its own connections.
const (
	overStdio    transport = "stdio"
	overHTTP     transport = "http"
	overCommands transport = "cli"
	overNothing  transport = "other"
)

// args are the arguments of a call.
type args = map[string]any

// answer is the result of a call.
type answer struct {
	text    string // all of the result: its texts, and the structured content
	refused bool
	code    string // of a refusal; "USAGE" where the command line took no such call
	links   []string
}

// client calls tools in a session of its own.
type client struct {
	*testing.T

	on      transport
	server  *running
	all     *servers
	with    *server
	do      func(tool string, a args) answer
	session *mcp.ClientSession // nil on the command line
	seen    strings.Builder    // all answers
}

// sessionCount numbers the sessions of the command line.
var sessionCount atomic.Int64

// connect connects a new client.
func (s *servers) connect(t *testing.T, with *server, on transport) *client {
	t.Helper()
	c := &client{T: t, on: on, with: with, all: s, server: s.start(with)}
	switch on {
	case overStdio:
		c.connectStdio()
	case overHTTP:
		c.connectMCP(&mcp.StreamableClientTransport{Endpoint: c.server.http})
	case overCommands:
		c.useCommands(fmt.Sprintf("attack-%d", sessionCount.Add(1)))
	case overNothing:
	}
	return c
}

// another connects another client of the same server over the same transport.
func (c *client) another() *client {
	c.Helper()
	return c.all.connect(c.T, c.with, c.on)
}

func (c *client) connectStdio() {
	c.Helper()
	c.connectMCP(toolkittest.Lines(c, c.server.app.Server(c.server.app.Surface)))
}

func (c *client) connectMCP(over mcp.Transport) {
	c.Helper()
	session := tooltest.Dial(c, over, tooltest.SessionRevision).ClientSession
	c.session = session
	c.do = func(tool string, a args) answer {
		res, err := session.CallTool(c.Context(), tooltest.Params(tool, a))
		if err != nil {
			return answer{text: err.Error(), refused: true, code: "PROTOCOL"}
		}
		return newAnswer(res)
	}
}

func newAnswer(res *mcp.CallToolResult) answer {
	out := answer{text: tooltest.Text(res), refused: res.IsError}
	if res.StructuredContent != nil {
		data, _ := json.Marshal(res.StructuredContent) // it came as JSON
		out.text += "\n" + string(data)
	}
	if envelope, ok := res.StructuredContent.(map[string]any); ok && res.IsError {
		out.code, _ = envelope["code"].(string)
	}
	for _, link := range tooltest.Links(res) {
		out.links = append(out.links, link.URI)
	}
	return out
}

// useCommands makes calls with the command line, in a session of the daemon.
func (c *client) useCommands(session string) {
	c.Helper()
	env, err := c.server.daemon()
	program, built := c.all.binary()
	if err := errors.Join(err, built); err != nil {
		c.Fatal(err)
	}
	c.do = func(tool string, a args) answer {
		words, err := commandLine(tool, a)
		if err != nil {
			c.Skip(err) // such as a file of the caller's own, which is not the tool's to write
		}
		cmd := exec.CommandContext(c.Context(), program, slices.Insert(words, 1, "--session", session)...)
		cmd.Env, cmd.Dir = env, c.TempDir()
		out, err := cmd.CombinedOutput()
		res := answer{text: string(out), refused: err != nil}
		if rest, ok := strings.CutPrefix(res.text, "callsheet: "); ok {
			res.code, _, _ = strings.Cut(rest, ":")
		}
		if cmd.ProcessState.ExitCode() == 2 {
			res.code = "USAGE"
		}
		return res
	}
}

// commandLine writes a call as a command line.
func commandLine(tool string, a args) ([]string, error) {
	table := cli.Verbs()
	has := func(v command.Verb, property string) bool {
		is := func(p command.Param) bool { return p.Property == property && p.Value == "" }
		return slices.ContainsFunc(v.Args, is) || slices.ContainsFunc(v.Flags, is)
	}
	at := slices.IndexFunc(table, func(v command.Verb) bool {
		for property := range a {
			if !has(v, property) {
				return false
			}
		}
		return v.Tool == tool && len(v.Fixed) == 0
	})
	if at < 0 {
		return nil, fmt.Errorf("no verb calls %s with these arguments", tool)
	}
	verb := table[at]
	line := []string{verb.Name}
	var words []string
	for _, p := range verb.Flags {
		if value, given := a[p.Property]; given && p.Value == "" {
			line = append(line, "--"+p.Name+"="+word(value))
		}
	}
	for _, p := range verb.Args {
		if value, given := a[p.Property]; given {
			words = append(words, word(value))
		}
	}
	if words != nil {
		line = append(append(line, "--"), words...)
	}
	return line, nil
}

// word writes a value as a word of a command line.
func word(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	data, _ := json.Marshal(value) // arguments are JSON
	return string(data)
}

// call calls a tool, whatever comes of it.
func (c *client) call(tool string, a args) answer {
	c.Helper()
	res := c.do(tool, a)
	c.seen.WriteString(res.text)
	c.seen.WriteByte('\n')
	return res
}

// ok calls a tool that must succeed, and returns its text, which must contain each of want.
func (c *client) ok(tool string, a args, want ...string) string {
	c.Helper()
	res := c.call(tool, a)
	if res.refused {
		tooltest.LogIfLate(c.T, res.text)
		c.server.logSilentDaemon(c.T, res.text)
		c.Fatalf("%s %v was refused: %s", tool, a, res.text)
	}
	c.contains(res.text, want...)
	return res.text
}

// refused calls a tool that must be refused with the code, and returns the text of the refusal,
// which must contain each of want. The command line may refuse a call itself.
func (c *client) refused(code, tool string, a args, want ...string) string {
	c.Helper()
	res := c.call(tool, a)
	if !res.refused || res.code != code && res.code != "USAGE" {
		c.Fatalf("%s %v gives %q %s, want code %s", tool, a, res.code, res.text, code)
	}
	if res.code != "USAGE" {
		c.contains(res.text, want...)
	}
	return res.text
}

// contains fails the attack unless the text contains each of want.
func (c *client) contains(text string, want ...string) {
	c.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			c.Errorf("%q is not in %s", w, text)
		}
	}
}

// lacks fails the attack when the text contains one of the secrets.
func (c *client) lacks(text string, secrets ...string) {
	c.Helper()
	for _, s := range secrets {
		if strings.Contains(text, s) {
			c.Errorf("%q is in %s", s, text)
		}
	}
}

// saw returns all that this client was answered so far.
func (c *client) saw() string { return c.seen.String() }

// titled waits until the client has a tab with this title. It runs no script, which would count as an
// action of the caller.
func (c *client) titled(title string) {
	c.Helper()
	tooltest.Eventually(c.T, "a tab with the title "+title, func() bool { return strings.Contains(c.ok("tabs_context", nil), title) })
}

// script evaluates an expression in the page and returns its value as text.
func (c *client) script(code string) string {
	c.Helper()
	return strings.TrimSpace(c.ok("javascript_tool", args{"code": code}))
}

// eventually waits until the expression is true in the page.
func (c *client) eventually(code string) {
	c.Helper()
	tooltest.Eventually(c.T, code, func() bool { return c.script("!!("+code+")") == "true" })
}

// ref returns the ref of the first element of the page whose line contains want.
func (c *client) ref(want string) string {
	c.Helper()
	return tooltest.Ref(c.T, c.ok("read_page", nil), want)
}

// read reads a resource.
func (c *client) read(uri string) (string, error) {
	res, err := c.session.ReadResource(c.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	return res.Contents[0].Text + string(res.Contents[0].Blob), nil
}
