package toolkittest

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Listed returns the names of the tools that the client is sent now, in the order of the list.
func (k *Kit) Listed(t testing.TB) []string {
	t.Helper()
	list, err := k.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatalf("list the tools: %v", err)
	}
	names := make([]string, len(list.Tools))
	for i, tool := range list.Tools {
		names[i] = tool.Name
	}
	return names
}

// AwaitListChange waits until the client is notified that its list of tools has changed. It returns once for one or more
// notifications since it last did, and at once where one has come. Clients of the stateless revision have no notification
// of facts.
func (k *Kit) AwaitListChange(t testing.TB) {
	t.Helper()
	if k.revision == Stateless {
		t.Fatal("facts change no list of a client without a session, so there is nothing to wait for")
	}
	select {
	case <-k.changed:
	case <-t.Context().Done():
		t.Fatal("the client is not notified of a change of its list")
	}
}

// Golden compares the list of tools that the client is sent now with a file, such as testdata/lists/paused.json. With the
// environment variable UPDATE_GOLDEN, or a flag -update of the test's own, it writes the file. The file has the very
// entries of the list, indented.
func (k *Kit) Golden(t testing.TB, path string) {
	t.Helper()
	if k.listed == nil {
		t.Fatal("only a kit that was made by New has the list as it was sent")
	}
	k.Listed(t)
	var got bytes.Buffer
	if err := json.Indent(&got, k.listed.tools(), "", "  "); err != nil {
		t.Fatalf("read the list: %v", err)
	}
	got.WriteByte('\n')
	if updates() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read the golden list (UPDATE_GOLDEN=1 writes it): %v", err)
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("the list is not that of %s (-want +got); UPDATE_GOLDEN=1 writes it:\n%s", path, diff)
	}
}

// updates reports whether golden files are written.
func updates() bool {
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		return true
	}
	return os.Getenv("UPDATE_GOLDEN") != ""
}

// listReader reads the messages of a server to a client, and keeps the last list of tools as it was sent.
type listReader struct {
	io.ReadCloser
	line []byte // that is being read

	mu   sync.Mutex
	last json.RawMessage
}

// Read reads on.
func (r *listReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.line = append(r.line, p[:n]...)
	for {
		line, rest, whole := bytes.Cut(r.line, []byte("\n"))
		if !whole {
			return n, err
		}
		r.keep(line)
		r.line = rest
	}
}

func (r *listReader) keep(line []byte) {
	if !bytes.Contains(line, []byte(`"tools":[`)) {
		return
	}
	var message struct {
		Result struct{ Tools json.RawMessage }
	}
	if json.Unmarshal(line, &message) == nil && message.Result.Tools != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.last = message.Result.Tools
	}
}

// tools returns the last list.
func (r *listReader) tools() json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}
