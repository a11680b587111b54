package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serves makes the test binary a server.
const serves = "RUNNER_TEST_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(serves) == "" {
		os.Exit(m.Run())
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: strings.Join(os.Args[1:], "|")}, nil)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

// A command is divided as in a shell, so that a path may have spaces.
func TestDialDividesTheCommand(t *testing.T) {
	t.Setenv(serves, "1")
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "a server")
	if err := os.Symlink(binary, program); err != nil {
		t.Fatal(err)
	}
	c, err := (&Program{Name: "p", Version: "1"}).dial(t.Context(), `'`+program+`' --name "two words"`)
	if err != nil {
		t.Fatal(err)
	}
	session := c.(*remote).session
	if got := session.InitializeResult().ServerInfo.Version; got != "--name|two words" {
		t.Errorf("the server got the words %q", got)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	for _, server := range []string{`'a server`, " "} {
		if _, err := (&Program{}).dial(t.Context(), server); err == nil || !strings.Contains(err.Error(), "--server") {
			t.Errorf("%q: %v", server, err)
		}
	}
}
