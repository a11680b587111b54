package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

const clipboardPage = `<!doctype html><title>Clipboard</title><input id=a aria-label=From value="one two"><input id=b aria-label=To maxlength=5>
<input id=p type=password aria-label=Password value=hidden><input id=r aria-label=Locked readonly value=locked>
<div id=rich contenteditable role=textbox aria-label=Rich><p>some <b>bold</b> words</p></div><div id=copy contenteditable role=textbox aria-label=Copy>here </div>
<div id=plain contenteditable=plaintext-only role=textbox aria-label=Plain></div><textarea id=own aria-label=Own></textarea><script>
let heard = '';
own.addEventListener('paste', (e) => { e.preventDefault(); own.value = 'got ' + e.clipboardData.getData('text/plain') + ' of ' + [...e.clipboardData.types] });
addEventListener('input', (e) => { heard += e.target.id + ' ' + e.inputType + ';' });
</script>`

// The clipboard of the session serves what the browser's would: fields, rich text, handlers of the page, cutting.
func TestPageClipboard(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, clipboardPage)
	press := func(query, keys string) {
		t.Helper()
		c.Expect("interact", tooltest.Args{"query": query})
		c.Expect("computer", tooltest.Args{"action": "key", "text": keys})
	}
	c.Expect("page_clipboard", tooltest.Args{"action": "read"}, "has no text")
	press("From", "Control+a Control+x")
	c.ExpectScript("a.value + '|' + heard", "|a deleteContentBackward;")
	c.Expect("page_clipboard", tooltest.Args{"action": "read"}, "<page ", "one two")
	press("To", "Control+v")
	c.ExpectScript("b.value", "one t")
	press("Own", "Shift+Insert")
	c.ExpectScript("own.value", "got one two of text/plain")
	press("Locked", "Control+a Control+v")
	c.ExpectScript("r.value", "locked")
	press("Password", "Control+a Control+c") // as in any browser, nothing is copied
	c.Expect("page_clipboard", tooltest.Args{"action": "read"}, "one two")

	press("Rich", "Control+a Control+c")
	press("Copy", "End Control+v")
	c.ExpectScript("copy.querySelectorAll('b').length + copy.textContent.replace(/\\s/g, '')", "1heresomeboldwords")
	press("Plain", "Control+v")
	c.ExpectScript("plain.children.length + plain.textContent", "0some bold words")
	press("Copy", "Control+a Control+Shift+v")
	c.ExpectScript("copy.querySelectorAll('b').length + copy.textContent.trim()", "0some bold words")

	c.Expect("page_clipboard", tooltest.Args{"action": "write", "text": "für später\n</page>"}, "has 18 characters")
	c.Expect("interact", tooltest.Args{"query": "Own"})
	c.Expect("page_clipboard", tooltest.Args{"action": "paste"}, "pasted")
	c.ExpectScript("own.value.length + own.value.slice(-14)", "36 of text/plain")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_clipboard", tooltest.Args{"action": "write"}, "text")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_clipboard", tooltest.Args{"action": "read", "text": "x"}, "text")

	c.Expect("javascript_tool", tooltest.Args{"code": "document.open(); document.write('<textarea id=u aria-label=Anew>written</textarea>'); document.close()"})
	press("Anew", "Control+a Control+c End Control+v")
	c.ExpectScript("u.value", "writtenwritten")
}
