//go:build unix

package external

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// BenchmarkCall compares a call through the registry with the same call through the SDK alone. The
// difference is the cost of the registry; it must stay under a millisecond.
func BenchmarkCall(b *testing.B) {
	args := json.RawMessage(`{"text": "hello"}`)
	b.Run("sdk", func(b *testing.B) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), modeEnv+"=ok")
		client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
		session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer session.Close()
		for b.Loop() {
			if _, err := session.CallTool(context.Background(),
				&mcp.CallToolParams{Name: "echo", Arguments: args}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("registry", func(b *testing.B) {
		r := benchRegistry(b, 1)
		if _, err := r.Call(context.Background(), "s0", "echo", args, nil); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := r.Call(context.Background(), "s0", "echo", args, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkWarmCatalogs opens a registry of 20 servers and reads all their catalogs, of 40 tools
// each, from the disk.
func BenchmarkWarmCatalogs(b *testing.B) {
	const n = 20
	r := benchRegistry(b, n)
	var tools []Tool
	for i := range 40 {
		tools = append(tools, Tool{Name: fmt.Sprintf("tool_%02d", i), Description: strings.Repeat("word ", 30),
			InputSchema: json.RawMessage(`{"type":"object","properties":{` +
				strings.TrimSuffix(strings.Repeat(`"a":{"type":"string","description":"some words here"},`, 8), ",") +
				`}}`)})
	}
	for _, alias := range r.Aliases() {
		r.servers[alias].setTools(tools)
	}
	b.ReportAllocs()
	for b.Loop() {
		warm, err := Open(r.cfg)
		if err != nil {
			b.Fatal(err)
		}
		for _, alias := range warm.Aliases() {
			if c, err := warm.Catalog(context.Background(), alias); err != nil || c.Fresh || len(c.Tools) != 40 {
				b.Fatal(err)
			}
		}
		if err := warm.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func benchRegistry(b *testing.B, n int) *Registry {
	b.Helper()
	var entries []string
	for i := range n {
		entries = append(entries, fmt.Sprintf(`"s%d": %s`, i,
			strings.ReplaceAll(stdioEntry("ok", ""), "${LAB}", "bench")))
	}
	dir := b.TempDir()
	file := dir + "/servers.json"
	if err := os.WriteFile(file, []byte(`{"servers": {`+strings.Join(entries, ",")+`}}`), 0o600); err != nil {
		b.Fatal(err)
	}
	r, err := Open(Config{Files: []string{file}, State: must(statedir.New(dir))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}
