package pilot_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// pilotOptions are the gates of a server with --pilot.
func pilotOptions() toolkit.Options { return toolkit.Options{AllTools: true, OptIn: []string{"pilot"}} }

// TestPilotIsOff: without the flag its tools are in no list, and a call says which flag it takes.
func TestPilotIsOptIn(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if strings.Contains(tool.Name, "pilot") || tool.Name == toolset.ToolOcProxyHook {
			t.Errorf("%s is listed", tool.Name)
		}
	}
	c.ExpectRefusal("CAPABILITY_DISABLED", toolset.ToolOcProxyHook, tooltest.Args{"action": "status"}, "--pilot")
	if res := c.Do(toolset.ToolExpandTools, tooltest.Args{"name": toolset.ToolOcPilotHandoffCreate}); !res.IsError || !strings.Contains(tooltest.Text(res), "--pilot") {
		t.Errorf("revealed: %s", tooltest.Text(res))
	}
	if text := tooltest.Text(c.Do(toolset.ToolExpandTools, tooltest.Args{"query": "hand a login over to another session by a token"})); strings.Contains(text, "oc_pilot") {
		t.Errorf("found: %s", text)
	}
}

// TestHandoff carries a login into another session by a token that works once.
func TestHandoff(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), tooltest.ServeSite(t)
	c := tooltest.ConnectIn(t, dir, pilotOptions())
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": home + "/index.html"})
	c.Call(toolset.ToolCookies, tooltest.Args{"action": "set", "name": "sid", "value": "hunter2hunter2", "attributes": "HttpOnly"})
	c.Call(toolset.ToolStorage, tooltest.Args{"storageType": "local", "action": "set", "key": "user", "value": "ann"})
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolOcPilotHandoffCreate, tooltest.Args{"origin": "https://example.com"}, "https://example.com")
	text := c.Expect(toolset.ToolOcPilotHandoffCreate, tooltest.Args{"origin": home}, "token csh1.", "cookies 1", "storage keys 1", "works once")
	token := strings.Fields(text)[1]
	short := strings.Fields(c.Call(toolset.ToolOcPilotHandoffCreate, tooltest.Args{"ttl_ms": 1}))[1]
	if strings.Contains(text, "hunter2") || tooltest.FilesContaining(t, dir, "hunter2hunter2") != nil || tooltest.FilesContaining(t, dir, token[len(token)-20:]) != nil {
		t.Errorf("the login, or the key to it, is in the result or on the disk: %s", text)
	}
	t.Run("elsewhere", func(t *testing.T) {
		other := tooltest.ConnectIn(t, dir, pilotOptions())
		other.Call(toolset.ToolNavigate, tooltest.Args{"url": strings.Replace(home, "127.0.0.1", "localhost", 1) + "/index.html"})
		other.ExpectRefusal("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, tooltest.Args{"token": token}, "open a page of "+home)
		other.Call(toolset.ToolNavigate, tooltest.Args{"url": home + "/cookies"})
		other.ExpectRefusal("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, tooltest.Args{"token": short}, "expired")
		other.ExpectRefusal("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, tooltest.Args{"token": token[:len(token)-3]}, "changed")
		other.ExpectRefusal("NOT_FOUND", toolset.ToolOcPilotHandoffRedeem, tooltest.Args{"token": "csh1.NONE" + token[strings.LastIndex(token, "."):]}, "no such handoff")
		other.ExpectRefusal("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, tooltest.Args{"token": "csh"}, "no handoff token")
		other.Expect(toolset.ToolOcPilotHandoffRedeem, tooltest.Args{"token": token}, home, "cookies 1", "storage keys 1")
		other.Call(toolset.ToolNavigate, tooltest.Args{"url": home + "/cookies"})
		other.Expect(toolset.ToolReadPage, nil, "sid=hunter2hunter2")
		other.Expect(toolset.ToolStorage, tooltest.Args{"storageType": "local", "action": "get", "key": "user"}, "ann")
		other.ExpectRefusal("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, tooltest.Args{"token": token}, "redeemed before")
	})
}
