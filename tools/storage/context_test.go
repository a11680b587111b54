package storage_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestContextExportAndImport exports a login, and the fixture server sees it come from another
// client.
func TestContextExportAndImport(t *testing.T) {
	t.Setenv(seal.KeyVariable, "correct horse battery")
	dir, home := t.TempDir(), tooltest.ServeSite(t)
	c := tooltest.ConnectIn(t, dir, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/index.html"})
	c.Call("cookies", tooltest.Args{"action": "set", "name": "sid", "value": "hunter2", "attributes": "HttpOnly"})
	c.Call("storage", tooltest.Args{"storageType": "local", "action": "set", "key": "user", "value": "ann hunter2"})
	c.Call("storage", tooltest.Args{"storageType": "session", "action": "set", "key": "step", "value": "3"})
	text := c.Expect("oc_context_export", nil, home, "cookies 1", "storage keys 2")
	if strings.Contains(text, "hunter2") || tooltest.FilesContaining(t, dir, "hunter2") != nil {
		t.Errorf("the login is in the result or on the disk: %s", text)
	}
	id, _, _ := strings.Cut(text, " ")

	t.Run("elsewhere", func(t *testing.T) {
		other := tooltest.ConnectIn(t, dir, toolkit.Options{})
		other.Call("navigate", tooltest.Args{"url": home + "/cookies"})
		other.Call("cookies", tooltest.Args{"action": "set", "name": "old", "value": "gone"})
		other.Expect("oc_context_import", tooltest.Args{"id": id}, "cookies 1", "storage keys 2")
		other.Call("navigate", tooltest.Args{"url": home + "/cookies"})
		if seen := other.Expect("read_page", nil, "sid=hunter2"); strings.Contains(seen, "old=") {
			t.Errorf("the server was sent %s", seen)
		}
		other.Expect("storage", tooltest.Args{"storageType": "local", "action": "get", "key": "user"}, "ann hunter2")
		other.Expect("storage", tooltest.Args{"storageType": "session", "action": "get", "key": "step"}, "3")
		other.Call("navigate", tooltest.Args{"url": strings.Replace(home, "127.0.0.1", "localhost", 1) + "/index.html"})
		other.ExpectRefusal("POLICY_DENIED", "oc_context_import", tooltest.Args{"id": id}, home)
		other.ExpectRefusal("NOT_FOUND", "oc_context_import", tooltest.Args{"id": "../" + id})
	})
	t.Setenv(seal.KeyVariable, "")
	locked := tooltest.ConnectIn(t, dir, toolkit.Options{})
	locked.Call("navigate", tooltest.Args{"url": home + "/index.html"})
	locked.ExpectRefusal("POLICY_DENIED", "oc_context_export", nil, seal.KeyVariable)
	locked.ExpectRefusal("POLICY_DENIED", "oc_context_import", tooltest.Args{"id": id}, seal.KeyVariable)
}
