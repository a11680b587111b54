package acceptance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// programVariable names a callsheet that is built already; without it the tests build one.
const programVariable = "CALLSHEET_PROGRAM"

// program returns the path of the callsheet that the tests start, which they build at the first call.
var program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(programVariable); path != "" {
		return path, nil
	}
	path := filepath.Join(buildDir, "callsheet")
	out, err := exec.Command("go", "build", "-o", path, "../../../cmd/callsheet").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build callsheet: %w\n%s", err, out)
	}
	return path, nil
})

var buildDir string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "callsheet-acceptance-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	buildDir = dir
	return tooltest.Run(m)
}

// client is a client of a callsheet of its own, which counts the bytes of what they say.
type client struct {
	*mcp.ClientSession
	t     *testing.T
	base  string // origin of the application
	bytes int    // of arguments and answers so far
	calls int
	last  *mcp.CallToolResult
	text  string // of the last answer
}

// connect starts a callsheet with these flags. The log of a failed start is in the test's output.
func connect(t *testing.T, base string, flags ...string) *client {
	t.Helper()
	dir := t.TempDir()
	secrets := filepath.Join(dir, "secrets.env")
	if err := os.WriteFile(secrets, []byte("ADMIN_PASSWORD="+AdminPassword+"\nNEW_PASSWORD=purple-elephants-9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"--headless", "--state-dir", filepath.Join(dir, "state"), "--secrets", secrets}, flags...)...)
	var log bytes.Buffer
	cmd.Stderr = &log
	session, err := mcp.NewClient(&mcp.Implementation{Name: "acceptance", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, log.String())
	}
	t.Cleanup(func() {
		_ = session.Close() // waits for the end of the program, so that its log is whole
		if t.Failed() && log.Len() > 0 {
			t.Logf("the log of callsheet:\n%s", log.String())
		}
	})
	return &client{ClientSession: session, t: t, base: base}
}

// listBytes returns the size of the list of tools in bytes of JSON.
func (c *client) listBytes() int {
	c.t.Helper()
	list, err := c.ListTools(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return size(c.t, list.Tools)
}

// call calls a tool and counts its bytes.
func (c *client) call(tool string, args map[string]any) *mcp.CallToolResult {
	c.t.Helper()
	res, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s %v: %v", tool, args, err)
	}
	c.calls++
	c.bytes += size(c.t, args) + size(c.t, res.Content)
	if res.StructuredContent != nil {
		c.bytes += size(c.t, res.StructuredContent)
	}
	var b strings.Builder
	for _, content := range res.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	c.last, c.text = res, b.String()
	return res
}

func size(t *testing.T, v any) int {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return len(data)
}
