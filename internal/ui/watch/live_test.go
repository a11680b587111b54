package watch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

const watchedPage = `data:text/html,<title>Watched</title><body style="margin:0;background:rgb(200,30,30)"><button onclick="document.body.style.background='rgb(20,160,40)';document.title='Clicked'" style="margin:100px;width:200px;height:50px">Go</button>`

// corner is the color in the corner of the picture, as three numbers.
const corner = `(() => { const i = document.querySelector('.screen img'); if (!i || i.hidden || !i.naturalWidth) return ''; const c = new OffscreenCanvas(1, 1).getContext('2d');
	c.drawImage(i, 0, 0, 1, 1, 0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v > 128 ? 'high' : 'low').join(' '); })()`

// TestWatchATabWhileAClientClicks opens the ui beside a client, which clicks what the picture shows.
func TestWatchATabWhileAClientClicks(t *testing.T) {
	t.Parallel()
	s := tooltest.NewOwnServer(t, app.Config{})
	agent := s.Connect("agent", "", nil)
	agent.Call("navigate", tooltest.Args{"url": watchedPage, "then": "none"})
	person, _ := s.OpenUI()
	person.WaitScript("document.querySelector('main h1').textContent === 'Watched'")
	person.WaitScript("document.querySelector('a.session').textContent === 'agent test'")
	person.Call("interact", tooltest.Args{"query": "Refs button"})
	person.WaitScript("document.querySelector('.refs').textContent.startsWith('No reading has named')")
	person.Call("interact", tooltest.Args{"query": "Refs button"})
	button := tooltest.Ref(t, agent.Call("read_page", nil), "Go")
	person.WaitScript(corner + " === 'high low low'")
	agent.Call("interact", tooltest.Args{"ref": button})
	person.WaitScript(corner + " === 'low high low'")
	person.WaitScript("document.querySelector('main h1').textContent === 'Clicked'")
	person.WaitScript(`/interact .*\d (ms|s|min) · .*bytes · ≈ .*tokens/.test(document.querySelector('.call.done').textContent)`)
	if got := person.Call("read_page", nil); !strings.Contains(got, "navigate") {
		t.Errorf("the calls before are missing: %s", got)
	}
	person.Call("interact", tooltest.Args{"action": "hover", "query": "button interact"})
	person.WaitScript("document.querySelector('.box span')?.textContent === '" + button + "'")
	for i, text := range []string{strings.Repeat("a name ", 12), strings.Repeat("unbroken", 9)} {
		agent.Do("find", tooltest.Args{"query": text})
		person.WaitScript(fmt.Sprintf("document.querySelectorAll('.call:not(.running) .arguments').length >= %d", 3+i))
		person.ExpectScript("((c) => c.scrollWidth - c.clientWidth)(document.querySelector('.calls'))", "0")
	}
}

// TestAnAddressIsOpenedOverTheSignInPage opens the address with a ticket in the tab that asks to sign in, where only the fragment
// of the address changes; a ticket that was used is refused there.
func TestAnAddressIsOpenedOverTheSignInPage(t *testing.T) {
	t.Parallel()
	s := tooltest.NewOwnServer(t, app.Config{})
	person, pages := s.OpenUI()
	person.Call("tabs_create", tooltest.Args{"isolated": "signed-out", "url": pages.Address})
	person.WaitScript("document.querySelector('form #token')")
	address := pages.SignInAddress()
	person.Call("navigate", tooltest.Args{"url": address})
	person.WaitScript("document.querySelector('main .view') && !location.hash.includes('token')")
	person.ExpectScript("[...document.querySelectorAll('.screen, .picture .tools')].map((e) => e.checkVisibility()).join()", "false,false") // without a tab
	person.Call("navigate", tooltest.Args{"url": address})
	person.WaitScript("document.querySelector('.sign-in [role=alert]').textContent !== '' && !location.hash.includes('token')")
}
