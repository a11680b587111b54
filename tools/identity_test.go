package tools_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/seal"
)

// TestALoginMovesToAnotherBrowserContext exports a login, and the fixture server sees it come from another client.
func TestALoginMovesToAnotherBrowserContext(t *testing.T) {
	t.Setenv(seal.KeyVariable, "correct horse battery")
	dir, home := t.TempDir(), site(t)
	c := connectIn(t, dir, toolkit.Options{}, "", nil)
	c.call("navigate", args{"url": home + "/index.html"})
	c.call("cookies", args{"action": "set", "name": "sid", "value": "hunter2", "attributes": "HttpOnly"})
	c.call("storage", args{"storageType": "local", "action": "set", "key": "user", "value": "ann hunter2"})
	c.call("storage", args{"storageType": "session", "action": "set", "key": "step", "value": "3"})
	text := c.says("oc_context_export", nil, home, "cookies 1", "storage keys 2")
	if strings.Contains(text, "hunter2") || grep(t, dir, "hunter2") != nil {
		t.Errorf("the login is in the result or on the disk: %s", text)
	}
	id, _, _ := strings.Cut(text, " ")

	t.Run("elsewhere", func(t *testing.T) {
		other := connectIn(t, dir, toolkit.Options{}, "", nil)
		other.call("navigate", args{"url": home + "/cookies"})
		other.call("cookies", args{"action": "set", "name": "old", "value": "gone"})
		other.says("oc_context_import", args{"id": id}, "cookies 1", "storage keys 2")
		other.call("navigate", args{"url": home + "/cookies"})
		if seen := other.says("read_page", nil, "sid=hunter2"); strings.Contains(seen, "old=") {
			t.Errorf("the server was sent %s", seen)
		}
		other.says("storage", args{"storageType": "local", "action": "get", "key": "user"}, "ann hunter2")
		other.says("storage", args{"storageType": "session", "action": "get", "key": "step"}, "3")
		other.call("navigate", args{"url": strings.Replace(home, "127.0.0.1", "localhost", 1) + "/index.html"})
		other.refused("POLICY_DENIED", "oc_context_import", args{"id": id}, home)
		other.refused("NOT_FOUND", "oc_context_import", args{"id": "../" + id})
	})
	t.Setenv(seal.KeyVariable, "")
	locked := connectIn(t, dir, toolkit.Options{}, "", nil)
	locked.call("navigate", args{"url": home + "/index.html"})
	locked.refused("POLICY_DENIED", "oc_context_export", nil, seal.KeyVariable)
	locked.refused("POLICY_DENIED", "oc_context_import", args{"id": id}, seal.KeyVariable)
}

func TestDatabasesAndCachesAreListed(t *testing.T) {
	c, home := connect(t, toolkit.Options{}), site(t)
	c.call("navigate", args{"url": home + "/index.html"})
	c.says("storage", args{"storageType": "indexeddb", "action": "keys"}, "empty")
	c.call("javascript_tool", args{"code": `
		const db = await new Promise((ok, no) => {
			const r = indexedDB.open("shop", 1);
			r.onupgradeneeded = () => r.result.createObjectStore("cart", {autoIncrement: true});
			r.onsuccess = () => ok(r.result); r.onerror = no;
		});
		await new Promise(ok => { const t = db.transaction("cart", "readwrite"); t.objectStore("cart").add(1); t.objectStore("cart").add(2); t.oncomplete = ok; });
		db.close();
		await (await caches.open("pages")).put("/x", new Response("y"));
		1`})
	c.says("storage", args{"storageType": "indexeddb", "action": "keys"}, "shop/cart 2")
	c.says("storage", args{"storageType": "cache", "action": "keys"}, "pages 1")
	c.refused("INVALID_ARGUMENTS", "storage", args{"storageType": "cache", "action": "clear"}, "action keys")
	c.call("navigate", args{"url": "about:blank"})
	c.refused("FAILED", "storage", args{"storageType": "cache", "action": "keys"})
}
