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

// Cookies come from what people copy: a command line, a header, or JSON of an extension or of Playwright.
func TestCookiesFromText(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/index.html"})
	for _, row := range []struct {
		from string
		has  []string
	}{
		{"Cookie: sid=abc; theme=dark=1", []string{"sid=abc;", "theme=dark=1;"}},
		{"a=1;b=2", []string{"a=1;", "b=2;"}},
		{"curl '" + home + "/x' \\\n  -H 'Accept: */*' \\\n  -H 'Cookie: sid=it'\\''s; q=\"7\"' --compressed", []string{"sid=it's;", `q="7";`}},
		{`curl -b "sid=abc; k=v" "` + home + `/"`, []string{"sid=abc;", "k=v;"}},
		{"curl " + home + " --cookie=one=1 -H $'cookie: two=2\\u0021'", []string{"one=1;", "two=2!;"}},
		{`[{"name":"sid","value":"z","path":"/","httpOnly":true,"sameSite":"lax","expirationDate":1800000000.5}]`, []string{"sid=z;", "HttpOnly", "SameSite=Lax", "Expires=2027-01-15"}},
		{`{"cookies":[{"name":"p","value":"w","domain":"127.0.0.1","expires":-1,"sameSite":"Strict"}],"origins":[]}`, []string{"p=w; Domain=127.0.0.1", "SameSite=Strict"}},
		{`{"plain":"yes","second":"2"}`, []string{"plain=yes;", "second=2;"}},
	} {
		c.Call("cookies", tooltest.Args{"action": "clear"})
		if said := c.Call("cookies", tooltest.Args{"action": "set", "from": row.from}); len(said) > 60 {
			t.Errorf("%s answers %s", row.from, said)
		}
		c.Expect("cookies", tooltest.Args{"action": "get"}, row.has...)
	}
	for from, want := range map[string]string{"": "no cookie", "curl http://other.example/ -b a=1": "other.example", `[{"value":"1"}]`: "without a name", `{"cookies":7}`: "JSON"} {
		c.ExpectRefusal("INVALID_ARGUMENTS", "cookies", tooltest.Args{"action": "set", "from": from}, want)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "cookies", tooltest.Args{"action": "get", "from": "a=1"}, "from")
}
