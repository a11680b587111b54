package environment_test

import (
	"regexp"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// permissionTabs is a client with two tabs in one browser context: at two sites, or at one.
type permissionTabs struct {
	tooltest.Client
	first, second string
}

func openPermissionTabs(t *testing.T, c tooltest.Client, first, second string) permissionTabs {
	t.Helper()
	p := permissionTabs{Client: c}
	for _, tab := range []struct {
		id  *string
		url string
	}{{&p.first, first}, {&p.second, second}} {
		*tab.id = regexp.MustCompile(`\bt\d+\b`).FindString(c.Call("tabs_create", tooltest.Args{"url": tab.url}))
	}
	return p
}

func (p permissionTabs) set(tab string, a tooltest.Args) {
	p.T.Helper()
	a["tabId"] = tab
	p.Call("emulate_environment", a)
}

// state returns the state of a permission in a tab.
func (p permissionTabs) state(tab, name string) string {
	p.T.Helper()
	return p.Call("javascript_tool", tooltest.Args{"tabId": tab, "code": "(await navigator.permissions.query({name: '" + name + "'})).state"})
}

func (p permissionTabs) expect(tab, name, want string) {
	p.T.Helper()
	if got := p.state(tab, name); got != want {
		p.T.Errorf("%s is %s in %s, want %s", name, got, tab, want)
	}
}

// TestPermissionsOfTabsAddUp: what one tab sets or resets leaves the settings of another.
func TestPermissionsOfTabsAddUp(t *testing.T) {
	t.Parallel()
	w := tooltest.ServeHeaders(t)
	p := openPermissionTabs(t, tooltest.Connect(t, toolkit.Options{AllTools: true}), w.URL+"/", w.URL+"/")
	p.set(p.first, tooltest.Args{"permissions": []string{"camera=denied", "microphone=granted"}})
	p.set(p.second, tooltest.Args{"permissions": []string{"midi=denied"}})
	p.Call("geolocation", tooltest.Args{"tabId": p.second, "latitude": 1, "longitude": 2})
	p.expect(p.first, "camera", "denied")
	p.expect(p.first, "microphone", "granted")
	p.expect(p.second, "midi", "denied")
	p.expect(p.second, "geolocation", "granted")
	p.Call("geolocation", tooltest.Args{"tabId": p.second, "reset": true})
	p.set(p.second, tooltest.Args{"permissions": []string{}})
	p.expect(p.first, "camera", "denied")
	p.expect(p.second, "geolocation", "prompt")
	p.ExpectRefusal("INVALID_ARGUMENTS", "emulate_environment", tooltest.Args{"tabId": p.second, "permissions": []string{"camra=granted"}}, "camra")
	p.expect(p.first, "camera", "denied")
	p.Call("tabs_close", tooltest.Args{"tabId": p.first})
	tooltest.Eventually(t, "the settings of a closed tab are gone", func() bool { return p.state(p.second, "camera") == "prompt" })
}

// TestPermissionsOfTabsThatDisagree: each tab has its own setting at its own site, which follows it.
func TestPermissionsOfTabsThatDisagree(t *testing.T) {
	t.Parallel()
	w := tooltest.ServeHeaders(t)
	p := openPermissionTabs(t, tooltest.Connect(t, toolkit.Options{AllTools: true}), w.URL+"/", w.OtherURL+"/")
	p.set(p.first, tooltest.Args{"permissions": []string{"camera=denied"}})
	p.set(p.second, tooltest.Args{"permissions": []string{"camera=granted"}})
	p.expect(p.first, "camera", "denied")
	p.expect(p.second, "camera", "granted")
	for _, sites := range [][2]string{{w.OtherURL, w.URL}, {w.URL, w.OtherURL}} {
		p.Call("navigate", tooltest.Args{"tabId": p.first, "url": sites[0] + "/x"})
		p.Call("navigate", tooltest.Args{"tabId": p.second, "url": sites[1] + "/x"})
		tooltest.Eventually(t, "the settings follow the tabs", func() bool {
			return p.state(p.first, "camera") == "denied" && p.state(p.second, "camera") == "granted"
		})
	}
	p.set(p.second, tooltest.Args{"permissions": []string{}})
	p.expect(p.first, "camera", "denied")
	p.expect(p.second, "camera", "denied")
}
