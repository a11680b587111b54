package attacks_test

import "strings"

// clipPage copies and pastes in every way of a page. Documents of 127.0.0.1 are a secure context.
const clipPage = `<title>Clip</title><p id=rich contenteditable role=textbox aria-label=Rich></p><textarea id=t aria-label=Target></textarea>
<p id=word>victims-word <b>bold</b></p><p id=out role=status>idle</p><div id=host></div>
<button id=exec onclick="getSelection().selectAllChildren(word); document.execCommand('copy')">Exec</button>
<button onclick="getSelection().selectAllChildren(word); document.execCommand('cut')">Exec cut</button>
<button onclick="navigator.clipboard.writeText('victims-written').then(() => out.textContent = 'written', (e) => out.textContent = e.name)">Write</button>
<button onclick="navigator.clipboard.write([new ClipboardItem({'text/plain': new Blob(['victims-item'], {type: 'text/plain'})})])">Write item</button>
<button onclick="giving = true; document.execCommand('copy'); giving = false">Give</button>
<button onclick="stopping = true; getSelection().selectAllChildren(word); document.execCommand('copy'); stopping = false">Stop</button>
<button onclick="ending = true; getSelection().selectAllChildren(word); document.execCommand('copy'); ending = false">End</button>
<button onclick="frames[0].go()">Inner copy</button><button onclick="getSelection().selectAllChildren(word)">Select</button>
<button onclick="out.textContent = ''; navigator.clipboard.readText().then((s) => out.textContent = 'read ' + s, (e) => out.textContent = e.name)">Read</button>
<button onclick="out.textContent = ''; navigator.clipboard.read().then(async (i) => out.textContent = 'items ' + (await Promise.all(i.flatMap((x) => x.types.map(async (y) => (await x.getType(y)).text())))), (e) => out.textContent = e.name)">Read items</button>
<iframe srcdoc="<p id=w>victims-frame</p><script>function go() { focus(); getSelection().selectAllChildren(w); document.execCommand('copy') }</script>"></iframe><script>
let giving = false, stopping = false, ending = false;
document.addEventListener('copy', (e) => { if (giving) { e.clipboardData.setData('text/plain', 'victims-gift'); e.preventDefault(); } if (stopping) e.stopPropagation(); });
addEventListener('copy', (e) => { if (ending) e.stopImmediatePropagation(); }, true);</script>`

// clipWays are ways to copy: the element to click and the keys to press; own is the text that the session itself pastes.
var clipWays = []struct{ query, keys, own string }{
	{"Select", "Control+c", "victims-word"}, {"Select", "Control+Insert", "victims-word"}, {"Exec", "", "victims-word"},
	{"Exec cut", "", "victims-word"}, {"Write", "", "victims-written"}, {"Write item", "", "victims-item"}, {"Give", "", "victims-gift"},
	{"Stop", "", "victims-word"}, {"End", "", "victims-word"}, {"Inner copy", "", "victims-frame"},
}

// Attacks by one client on the clipboard of another, whose session is in the same browser.
var _ = add(attack{
	name: "sessions_paste", about: "a client pastes and reads what another client's pages have copied; each has a clipboard of its own", on: []transport{overHTTP},
	run: func(c *client) {
		s := newSite(c.T)
		s.page("bank", "/", clipPage)
		other := c.another()
		for _, one := range []*client{c, other} {
			one.ok("navigate", args{"url": s.url("bank", "/")})
			one.ok("emulate_environment", args{"permissions": []string{"clipboard-read=granted", "clipboard-write=granted"}})
		}
		paste := func(one *client) string {
			one.ok("interact", args{"query": "Target"})
			one.ok("computer", args{"action": "key", "text": "Control+a Control+v"})
			return one.script("t.value") + "\n" + one.ok("page_clipboard", args{"action": "read"})
		}
		read := func(one *client, button string) string {
			one.ok("interact", args{"query": button, "waitForMs": 0})
			one.eventually("out.textContent !== ''")
			return one.script("out.textContent")
		}
		for _, way := range clipWays {
			c.ok("page_clipboard", args{"action": "write", "text": "victims-own"})
			c.ok("interact", args{"query": way.query})
			if way.keys != "" {
				c.ok("computer", args{"action": "key", "text": way.keys})
			}
			if got := paste(other); strings.Contains(got, "victims") {
				c.Errorf("%s %s: another session has %s", way.query, way.keys, got)
			}
			if got := paste(c); strings.Count(got, way.own) != 2 {
				c.Errorf("%s %s: its own session has %s", way.query, way.keys, got)
			}
		}
		for _, button := range []string{"Read", "Read items"} {
			if got := read(other, button); strings.Contains(got, "victims") {
				c.Errorf("%s: another session has %s", button, got)
			}
			if got := read(c, button); !strings.Contains(got, "victims-frame") {
				c.Errorf("%s: its own session has %s", button, got)
			}
		}
	},
})
