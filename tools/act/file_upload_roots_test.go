package act_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestFileUploadFromClientRoots uploads from a directory while the client declares it as a root.
func TestFileUploadFromClientRoots(t *testing.T) {
	t.Parallel()
	own, other := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(own, "mine.txt"), filepath.Join(other, "other.txt")} {
		if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(other, "other.txt"), filepath.Join(own, "leak")); err != nil {
		t.Fatal(err)
	}
	root := &mcp.Root{URI: "file://" + filepath.ToSlash(own)}
	client := tooltest.CheckOutputs(t, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil))
	client.AddRoots(root, &mcp.Root{URI: "https://example.com/"}, &mcp.Root{URI: "file://elsewhere" + other})
	c := tooltest.NewServer(t, app.Config{}).ConnectClient(client, t.Name(), tooltest.SessionRevision)
	c.Call("navigate", tooltest.Args{"url": tooltest.ServeSite(t) + "/acting.html"})
	upload := func(name string) tooltest.Args {
		return tooltest.Args{"selector": "#file", "filePaths": []string{name}}
	}
	mine := filepath.Join(own, "mine.txt")
	c.Expect("file_upload", upload(mine), `"mine.txt"`)
	c.Expect("file_upload", upload("mine.txt"), `"mine.txt"`)
	c.ExpectRefusal("POLICY_DENIED", "file_upload", upload(filepath.Join(own, "leak")))
	c.ExpectRefusal("POLICY_DENIED", "file_upload", upload(filepath.Join(other, "other.txt")), own)
	client.RemoveRoots(root.URI)
	tooltest.Eventually(t, "the server knows that the root is gone", func() bool { return c.Do("file_upload", upload(mine)).IsError })
	c.ExpectRefusal("POLICY_DENIED", "file_upload", upload(mine))
	client.AddRoots(root)
	tooltest.Eventually(t, "the server knows that the root is back", func() bool { return !c.Do("file_upload", upload(mine)).IsError })
	// A client without the capability has the directories of the operator alone.
	without := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	bare := tooltest.NewServer(t, app.Config{}).Connect(t.Name()+"-bare", tooltest.SessionRevision, without)
	bare.Call("navigate", tooltest.Args{"url": tooltest.ServeSite(t) + "/acting.html"})
	bare.ExpectRefusal("POLICY_DENIED", "file_upload", upload(mine))
}
