package environment_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestWebdriver holds the documents to what they say of navigator.webdriver.
func TestWebdriver(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{"": "true", "--disable-blink-features=AutomationControlled": "false"} {
		cfg := app.Config{StateDir: t.TempDir()}
		if arg != "" {
			cfg.Browser = browser.Config{Args: []string{arg}}
		}
		c := tooltest.NewOwnServer(t, cfg).Connect(t.Name()+want, "", nil)
		c.Call("navigate", tooltest.Args{"url": tooltest.ServeHeaders(t).URL})
		c.ExpectScript("navigator.webdriver", want)
	}
}
