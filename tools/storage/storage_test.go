package storage_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestStorageListsDatabasesAndCaches(t *testing.T) {
	c, home := tooltest.Connect(t, toolkit.Options{}), tooltest.ServeSite(t)
	c.Call("navigate", tooltest.Args{"url": home + "/index.html"})
	c.Expect("storage", tooltest.Args{"storageType": "indexeddb", "action": "keys"}, "empty")
	c.Call("javascript_tool", tooltest.Args{"code": `
		const db = await new Promise((ok, no) => {
			const r = indexedDB.open("shop", 1);
			r.onupgradeneeded = () => r.result.createObjectStore("cart", {autoIncrement: true});
			r.onsuccess = () => ok(r.result); r.onerror = no;
		});
		await new Promise(ok => { const t = db.transaction("cart", "readwrite"); t.objectStore("cart").add(1); t.objectStore("cart").add(2); t.oncomplete = ok; });
		db.close();
		await (await caches.open("pages")).put("/x", new Response("y"));
		1`})
	c.Expect("storage", tooltest.Args{"storageType": "indexeddb", "action": "keys"}, "shop/cart 2")
	c.Expect("storage", tooltest.Args{"storageType": "cache", "action": "keys"}, "pages 1")
	c.ExpectRefusal("INVALID_ARGUMENTS", "storage", tooltest.Args{"storageType": "cache", "action": "clear"}, "action keys")
	c.Call("navigate", tooltest.Args{"url": "about:blank"})
	c.ExpectRefusal("FAILED", "storage", tooltest.Args{"storageType": "cache", "action": "keys"})
}

func TestCookiesAndStorageRoundTrip(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/cookies"})
	c.Expect("cookies", tooltest.Args{"action": "get"}, "served=yes")
	c.Call("cookies", tooltest.Args{"action": "set", "name": "flavour", "value": "", "attributes": "HttpOnly; Expires=1800000000"})
	c.Expect("cookies", tooltest.Args{"action": "get", "name": "flavour"}, "flavour=;", "HttpOnly", "Expires=2027-01-15")
	c.Call("page_reload", nil)
	c.Expect("read_page", nil, "served=yes", "flavour=")
	c.Call("cookies", tooltest.Args{"action": "delete", "name": "served"})
	c.Expect("cookies", tooltest.Args{"action": "clear"}, "cleared 1")
	c.Expect("cookies", tooltest.Args{"action": "get"}, "no cookie")
	c.ExpectRefusal("INVALID_ARGUMENTS", "cookies", tooltest.Args{"action": "set", "name": "x"}, `\"value\" is required for set`)

	for _, kind := range []string{"local", "session"} {
		c.Call("storage", tooltest.Args{"storageType": kind, "action": "set", "key": "a", "value": "1"})
		c.Call("storage", tooltest.Args{"storageType": kind, "action": "set", "key": "", "value": ""})
		c.Expect("storage", tooltest.Args{"storageType": kind, "action": "keys"}, "2 keys", "a")
		if got := c.Call("storage", tooltest.Args{"storageType": kind, "action": "get", "key": "a"}); got != "1" {
			t.Errorf("%s storage gives %q", kind, got)
		}
		c.Expect("javascript_tool", tooltest.Args{"code": kind + "Storage.getItem('a')"}, "1")
		c.Call("storage", tooltest.Args{"storageType": kind, "action": "remove", "key": "a"})
		c.ExpectRefusal("NOT_FOUND", "storage", tooltest.Args{"storageType": kind, "action": "get", "key": "a"})
		c.Expect("storage", tooltest.Args{"storageType": kind, "action": "clear"}, "cleared")
		c.Expect("storage", tooltest.Args{"storageType": kind, "action": "get"}, "empty")
	}
	c.Call("navigate", tooltest.Args{"url": "about:blank"})
	c.ExpectRefusal("FAILED", "storage", tooltest.Args{"storageType": "local", "action": "keys"}, "opaque")
}
