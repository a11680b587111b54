package attacks_test

import (
	"strings"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// copyForm is a login page with every way of a page to copy what was typed.
const copyForm = loginForm + `<p id=echo>echo</p><textarea id=hidden aria-label=Hidden></textarea>
<button id=exec onclick="hidden.value = pw.value; hidden.select(); document.execCommand('copy')">Exec</button>
<button onclick="navigator.clipboard.writeText(pw.value).catch(() => 0)">Write</button>
<button onclick="navigator.clipboard.write([new ClipboardItem({'text/plain': new Blob([pw.value], {type: 'text/plain'})})]).catch(() => 0)">Write item</button>
<button onclick="giving = true; document.execCommand('copy'); giving = false">Give</button>
<button onclick="getSelection().selectAllChildren(echo)">Select text</button>
<button onclick="getSelection().setBaseAndExtent(echo.firstChild, 2, echo.firstChild, 9)">Select part</button>
<button onclick="getSelection().selectAllChildren(document.body)">Select all</button><p id=free>Free text</p>
<button onclick="pw.blur(); getSelection().selectAllChildren(free)">Select free</button><script>
let giving = false;
addEventListener('copy', (e) => { if (giving) { e.clipboardData.setData('text/plain', pw.value); e.preventDefault(); } }, true);
pw.addEventListener('input', () => { echo.textContent = pw.value; });</script>`

// copies are ways to copy the password, by the element that is clicked and the keys that are pressed then.
var copies = []struct{ query, keys string }{
	{"Password", "Control+a Control+c"},
	{"Password", "Control+a Control+Insert"},
	{"Password", "Home ArrowRight Shift+ArrowRight Shift+ArrowRight Shift+ArrowRight Control+c"},
	{"Password", "End Shift+Home Control+x"},
	{"Exec", ""}, {"Write", ""}, {"Write item", ""}, {"Give", ""},
	{"Select text", "Control+c"}, {"Select part", "Control+c"}, {"Select all", "Control+c"},
}

// Attacks that take a secret out of its document by the clipboard or a drag.
var _ = add(
	attack{
		name: "secrets_copied", about: "the password is copied in every way and pasted at another origin; nothing arrives", with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			s.bankPage("/copy", copyForm)
			s.page("evil", "/paste", `<title>Paste</title><textarea id=t aria-label=Target></textarea>`)
			bank := tooltest.TabID(c.ok("navigate", args{"url": s.bankURL("/copy")}))
			c.ok("form_input", args{"query": "Password", "value": namedPassword})
			evil := tooltest.TabID(c.ok("tabs_create", args{"url": s.url("evil", "/paste")}))
			paste := func() string {
				c.ok("interact", args{"tabId": evil, "query": "Target"})
				c.ok("computer", args{"tabId": evil, "action": "key", "text": "Control+a Control+v"})
				return c.ok("javascript_tool", args{"tabId": evil, "code": "[...t.value].join('|')"})
			}
			for _, way := range copies {
				c.ok("interact", args{"tabId": bank, "query": way.query})
				if way.keys != "" {
					c.ok("computer", args{"tabId": bank, "action": "key", "text": way.keys})
				}
				got := paste()
				for i := range len(vaultPassword) - 2 {
					if part := strings.Join(strings.Split(vaultPassword[i:i+3], ""), "|"); strings.Contains(got, part) {
						c.Errorf("%s %s: the other origin has %q", way.query, way.keys, got)
					}
				}
			}
			c.ok("interact", args{"tabId": bank, "query": "Select free"})
			c.ok("computer", args{"tabId": bank, "action": "key", "text": "Control+c"})
			if got := paste(); !strings.Contains(got, "F|r|e|e| |t|e|x|t") {
				c.Errorf("another text is not copied: %q", got)
			}
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_dragged", about: "the selected password is dragged into a frame of another origin; nothing arrives", with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			s.page("evil", "/paste", `<title>Paste</title><textarea id=t aria-label=Target style="width:300px;height:100px"></textarea>`)
			s.bankPage("/drag", copyForm+`<iframe src="{evil}/paste" width=400 height=200></iframe>`)
			c.ok("navigate", args{"url": s.bankURL("/drag")})
			c.ok("form_input", args{"query": "Password", "value": namedPassword})
			c.ok("interact", args{"query": "Select text"})
			c.call("drag_drop", args{"sourceSelector": "#echo", "target_query": "Target"})
			if got := c.ok("read_page", args{"values": true, "mode": "full"}); strings.Count(got, "[secret:PASSWORD]") > 2 {
				c.Errorf("the frame has the password: %s", got)
			}
			s.keeps(c)
		},
	},
)
