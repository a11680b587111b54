package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestKeysDoNotReachTheBrowser presses the keys that a browser window has commands for. The page
// gets them, and zoom, windows and tabs stay as they are, here and in a tab that is opened after.
func TestKeysDoNotReachTheBrowser(t *testing.T) {
	t.Parallel()
	c, _ := tooltest.OpenActingPage(t, toolkit.Options{AllTools: true})
	const state = `[devicePixelRatio, visualViewport.scale, innerWidth, innerHeight, outerWidth, outerHeight, !!document.fullscreenElement, history.length, document.hasFocus(), location.pathname].join()`
	before := c.Call("javascript_tool", tooltest.Args{"code": "window.same = true; window.pressed = 0; addEventListener('keydown', () => pressed++); " + state})
	keys := []string{
		"ctrl+=", "ctrl+=", "ctrl+-", "ctrl+shift+=", "ctrl+0", "ctrl+-", "F11", "F5", "ctrl+r", "F12", "ctrl+t", "ctrl+n", "ctrl+w",
		"ctrl+shift+i", "ctrl+p", "ctrl+s", "ctrl+f", "ctrl+h", "alt+ArrowLeft", "F1", "F3", "F6", "F10", "F7",
	}
	for _, key := range keys {
		c.Call("computer", tooltest.Args{"action": "key", "text": key})
	}
	if after := c.Call("javascript_tool", tooltest.Args{"code": state}); after != before {
		t.Errorf("after the keys %s, before %s", after, before)
	}
	c.ExpectScript("same && pressed >= 24", "true")
	const size = "[devicePixelRatio, visualViewport.scale, innerWidth, innerHeight].join()"
	here := c.Call("javascript_tool", tooltest.Args{"code": size})
	c.Call("tabs_create", tooltest.Args{"url": tooltest.ServeSite(t) + "/acting.html"})
	if other := c.Call("javascript_tool", tooltest.Args{"code": size}); other != here {
		t.Errorf("a new tab has %s, the other %s", other, here)
	}
}
