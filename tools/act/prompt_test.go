package act_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

const promptPage = `<!doctype html><p id=out role=status>idle</p><script>
const publicKey = { challenge: new Uint8Array(16), rp: { name: 'x' }, user: { id: new Uint8Array(4), name: 'u', displayName: 'u' }, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] };
const acts = {
  Open: async () => { const [h] = await showOpenFilePicker(); return h.name + ' ' + await (await h.getFile()).text() },
  Several: async () => (await showOpenFilePicker({ multiple: true })).map((h) => h.name).join(),
  Folder: async () => { const d = await showDirectoryPicker(), names = []; for await (const name of d.keys()) names.push(name); return d.name + ' has ' + names },
  Edit: async () => { const [h] = await showOpenFilePicker(); await (await h.createWritable()).close(); return 'written' },
  Ask: async () => { const [h] = await showOpenFilePicker(); return await h.requestPermission() + ' ' + await h.requestPermission({ mode: 'readwrite' }) },
  Code: () => navigator.credentials.get({ otp: { transport: ['sms'] } }), Headset: () => navigator.xr.requestSession('immersive-vr'),
  Save: async () => { const w = await (await showSaveFilePicker({ suggestedName: 'note.txt' })).createWritable(); await w.write('hello saved'); await w.close(); return 'saved' },
  Pipe: async () => { await new Response('hello piped').body.pipeTo(await (await showSaveFilePicker({ suggestedName: 'piped.txt' })).createWritable()); return 'piped' },
  Passkey: () => navigator.credentials.get({ publicKey }), Register: () => navigator.credentials.create({ publicKey }),
  Account: () => navigator.credentials.get({ identity: { providers: [{ configURL: location.origin + '/x.json', clientId: '1' }] } }),
  USB: () => navigator.usb.requestDevice({ filters: [] }), Serial: () => navigator.serial.requestPort(), HID: () => navigator.hid.requestDevice({ filters: [] }),
  Screen: () => navigator.mediaDevices.getDisplayMedia(), Colour: () => new EyeDropper().open(), Print: () => { print(); return 'went on' },
  Position: () => new Promise((y, n) => navigator.geolocation.getCurrentPosition(y, () => n({ name: 'denied' }))), Notify: () => Notification.requestPermission(),
  Paste: () => navigator.clipboard.readText(), Midi: () => navigator.requestMIDIAccess({ sysex: true }), Idle: () => IdleDetector.requestPermission(),
  Mail: () => { location.href = 'mailto:a@b.test' }, Meeting: () => { location.href = 'zoommtg://join' }, Call: () => { Object.assign(document.createElement('a'), { href: 'tel:1' }).click() },
  Pay: () => new PaymentRequest([{ supportedMethods: 'https://pay.test/' }], { total: { label: 't', amount: { currency: 'EUR', value: '1' } } }).show(),
  Handler: () => navigator.registerProtocolHandler('web+x', location.origin + '/%s'),
};
for (const [name, act] of Object.entries(acts)) {
  const b = document.createElement('button'); b.textContent = name; document.body.append(b);
  b.onclick = async () => { try { out.textContent = name + ' gave ' + await act() } catch (e) { out.textContent = name + ' failed ' + e.name } };
}
document.addEventListener('drop', () => { document.title = 'heard' });
</script>`

// An answer says what a page asks of a person by windows of the browser; a tool answers it, or the server as by Cancel. None waits
// and keeps input from the page.
func TestPromptsAreToldAndAnswered(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, promptPage)
	for name, text := range map[string]string{"a.txt": "12345", "b.txt": "1", "album/c.txt": "1"} {
		path := filepath.Join(c.Output, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	upload := func(button string, paths ...string) tooltest.Args {
		return tooltest.Args{"query": button, "filePaths": paths}
	}
	shows := func(text string) { t.Helper(); c.WaitScript(`out.textContent.startsWith(` + "`" + text + "`" + `)`) }

	c.Expect("interact", tooltest.Args{"query": "Open"}, "waits for a file by a picker; file_upload")
	c.ExpectRefusal("POLICY_DENIED", "file_upload", upload("Open", "/etc/hostname"))
	if text := c.Expect("file_upload", upload("Open", "a.txt"), "attached 1 file(s)"); strings.Contains(text, "waits for") {
		t.Errorf("a picker that has its file still waits: %s", text)
	}
	shows("Open gave a.txt 12345")
	c.Expect("interact", tooltest.Args{"query": "Open"}, "waits for a file")
	c.Expect("interact", tooltest.Args{"query": "Several"}, "waits for files")
	shows("Open failed AbortError") // as after Cancel
	c.Expect("file_upload", upload("Several", "a.txt", "b.txt"), "attached 2 file(s)")
	shows("Several gave a.txt,b.txt")
	c.ExpectRefusal("INVALID_ARGUMENTS", "file_upload", upload("Open", "a.txt", "b.txt"), "one file")
	c.ExpectRefusal("INVALID_ARGUMENTS", "file_upload", upload("Folder", "a.txt"), "directory")
	if strings.HasPrefix(c.Output, "/dev/") { // a directory of the system, where CI has its temporary files
		c.ExpectRefusal("INVALID_ARGUMENTS", "file_upload", upload("Folder", "album"), "belongs to the system")
	} else {
		c.Expect("file_upload", upload("Folder", "album"), "attached the directory")
		shows("Folder gave album has c.txt")
	}
	c.Expect("file_upload", upload("Edit", "a.txt"), "asked to write")
	shows("Edit failed NotAllowedError")
	c.Expect("file_upload", upload("Ask", "a.txt"), "asked to write")
	shows("Ask gave granted denied")
	c.ExpectScript("document.title", "") // no drop reaches the page

	for name, holds := range map[string]string{"Save": "hello saved", "Pipe": "hello piped"} {
		c.Expect("interact", tooltest.Args{"query": name}, "becomes a download")
		c.Expect("downloads", tooltest.Args{"action": "wait"}, holds)
	}
	for name, said := range map[string]string{
		"Passkey": "asked for a passkey", "Register": "asked for a passkey", "Account": "FedCM", "USB": "USB device", "Serial": "serial port", "HID": "input device",
		"Screen": "record the screen", "Colour": "pick a colour", "Position": `"permissions": ["geolocation=granted"]`, "Notify": "notifications=granted",
		"Paste": "clipboard-read=granted", "Print": "page_pdf", "Midi": "midi=granted", "Idle": "idle-detection=granted", "Mail": "a mailto: address",
		"Meeting": "a zoommtg: address", "Call": "a tel: address", "Pay": "asked for a payment", "Handler": "links of a protocol", "Code": "a code of a text message", "Headset": "a headset",
	} {
		c.Expect("interact", tooltest.Args{"query": name}, said)
		shows(name + " ")
	}
	c.ExpectScript("typeof callsheetPrompt + showOpenFilePicker + showOpenFilePicker.name", "undefinedfunction () { [native code] }showOpenFilePicker")
}

// Whichever way a page asks for another program, by a window, a link, a form or a frame, the answer says so.
func TestProgramsAreTold(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<!doctype html><p id=out>idle</p><iframe name=f width=20 height=20></iframe><form id=m action="mailto:a@b.test" method=post target=_blank><button>Letter</button></form>
<a href="tel:1" target=_blank>Dial</a> <a href="sms:1" target=f>Text</a> <a href="#x" target=_self onclick="event.preventDefault()">Stay</a><script>
const acts = { Compose: () => open('mailto:a@b.test') === null, Join: () => open('zoommtg://join', '_blank', 'noopener') === null, Slack: () => open('slack:x', 'f') === null,
  Launch: () => { document.querySelector('iframe').src = 'steam://run/1' }, Go: () => { location.assign('skype:a?call') }, Plain: () => typeof open('about:blank').closed };
for (const [name, act] of Object.entries(acts)) {
  const b = document.createElement('button'); b.textContent = name; document.body.append(b);
  b.onclick = () => { out.textContent = name + ' gave ' + act() };
}</script>`)
	for _, in := range [][2]string{
		{"Compose", "mailto"}, {"Join", "zoommtg"}, {"Slack", "slack"}, {"Launch", "steam"}, {"Go", "skype"}, {"Dial", "tel"}, {"Text", "sms"}, {"Letter", "mailto"},
	} {
		c.Expect("interact", tooltest.Args{"query": in[0]}, "a "+in[1]+": address by another program")
	}
	c.Expect("interact", tooltest.Args{"query": "Join"}, "zoommtg")
	c.WaitScript(`out.textContent === "Join gave true"`)
	for _, query := range []string{"Stay", "Plain"} {
		if text := c.Call("interact", tooltest.Args{"query": query}); strings.Contains(text, "program") {
			t.Errorf("%s asks for no program: %s", query, text)
		}
	}
	c.ExpectScript("open.name + open.length", "open0")
}

// Frames of other sites, whose documents are in processes of their own, ask like the page.
func TestPromptsOfFramesAreTold(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	other := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	frame := `<iframe width=700 height=400 allow="geolocation *; usb *; midi *" src="%s"></iframe>`
	serve := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html>" + body))
		})
	}
	serve("/", "<title>Frames</title>"+fmt.Sprintf(frame, other+"/asks"))
	serve("/asks", promptPage)
	serve("/deep", "<title>Deep</title>"+fmt.Sprintf(frame, other+"/around"))
	serve("/around", fmt.Sprintf(frame, site.URL+"/asks"))
	c := tooltest.Connect(t, toolkit.Options{})
	for _, path := range []string{"/", "/deep"} {
		c.Call("navigate", tooltest.Args{"url": site.URL + path})
		for name, said := range map[string]string{
			"Print": "page_pdf", "Position": "geolocation=granted", "USB": "USB device", "Midi": "midi=granted", "Mail": "a mailto: address",
		} {
			c.Expect("interact", tooltest.Args{"query": name}, said)
		}
	}
}

// The next answer of any tool tells once for which prompts a loading page asked.
func TestPromptsOfALoadingPageAreTold(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	body := `<p>Top</p><iframe srcdoc="<p>Inner</p><script>print()</script>"></iframe>`
	said := c.Call("navigate", tooltest.Args{"url": "data:text/html," + body})
	c.WaitScript(`document.querySelector("iframe").contentDocument.body.innerText.trim() === "Inner"`)
	said += c.Call("read_page", nil) + c.Call("find", tooltest.Args{"query": "Top"})
	if n := strings.Count(said, "asked to print"); n != 1 {
		t.Errorf("the prompt is told %d times: %s", n, said)
	}
}
