package viewtest_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func quote(s string) string {
	out, _ := json.Marshal(s) // a text always encodes
	return string(out)
}

// listBytes is the length of the list that a client of a surface with these options is sent first.
func listBytes(t *testing.T, s *tooltest.Server, opt toolkit.Options) int {
	t.Helper()
	opt.Visibility = toolkit.Core
	surface, err := toolkit.NewSurface(s.Surface.Registry(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return len(surface.NewSession("", nil).List())
}

// bytesOf is an expression: the bytes of the list in a state, as the page shows them.
func bytesOf(state string) string {
	return `[...document.querySelectorAll('.states tbody tr')].find((r) => r.cells[0].textContent === ` + quote(state) + `)?.cells[3].textContent.replaceAll(',', '')`
}

// TestSurfaceIsExplored tries flags, and asks why a tool is hidden.
func TestSurfaceIsExplored(t *testing.T) {
	t.Parallel()
	s := tooltest.NewServer(t, app.Config{})
	person, _ := s.OpenUI()
	open(person, "#/surface", "document.querySelector('.matrix')")
	person.WaitScript(fmt.Sprintf("%s === '%d'", bytesOf("default"), listBytes(t, s, toolkit.Options{})))
	person.WaitScript("document.querySelectorAll('.matrix tbody tr').length > 100")
	person.WaitScript(`[...document.querySelectorAll('.states .route')].some((r) => [...r.children].map((li) => li.textContent).join(' > ') === 'start > call navigate > call debugger_enable > call debugger_pause > paused')`)
	person.WaitScript(`[...document.querySelectorAll('.states .route')].some((r) => r.textContent === 'startcall chrome_launchmultiple_connections')`)
	click(person, "Flags to try")
	click(person, "multiple_connections checkbox")
	person.WaitScript(text(".states tbody th", "tried"))

	click(person, "--all-tools checkbox")
	person.WaitScript(fmt.Sprintf("%s === '%d'", bytesOf("default"), listBytes(t, s, toolkit.Options{AllTools: true})))
	person.WaitScript("document.querySelector('.command').textContent === '--all-tools'")

	person.Call("form_input", tooltest.Args{"query": "Name or capability", "value": "debugger_step"})
	person.WaitScript("document.querySelectorAll('.matrix tbody tr').length < 5")
	person.Call("javascript_tool", tooltest.Args{"code": "document.getElementById('tool-debugger_step_over').click(); 0"})
	person.WaitScript(text(".why", "needs paused"))
	person.WaitScript("[...document.querySelectorAll('.why .route li')].map((li) => li.textContent).join(' ').includes('call navigate call debugger_enable')")

	for _, name := range []string{"tools-only-core", "disable-tools-core"} {
		person.Call("javascript_tool", tooltest.Args{"code": "document.getElementById('" + name + "').click(); 0"})
	}
	person.WaitScript(text(".problem", `capability "core" is in both --tools-only and --disable-tools`))
	click(person, "No flags button")
	person.WaitScript("document.querySelector('.command').textContent === 'no flags' && !document.querySelector('.problem').textContent")
	person.WaitScript(fmt.Sprintf("%s === '%d'", bytesOf("default"), listBytes(t, s, toolkit.Options{})))
	person.WaitScript(text("details dl dt", "browser_back"))
}
