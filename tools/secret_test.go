package tools_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/login/secret"
)

// TestASecretIsTypedAndNeverSeen types a password into a real page, reads it back in every way that there is, and
// searches everything that the client and the disk were given.
func TestASecretIsTypedAndNeverSeen(t *testing.T) {
	const password = `hunter2&"ö"+/x`
	vault, err := secret.New(map[string]string{"PASSWORD": password})
	if err != nil {
		t.Fatal(err)
	}
	dir, home := t.TempDir(), site(t)
	c := connectIn(t, dir, toolkit.Options{}, "", nil, vault.Middleware)
	c.call("navigate", args{"url": home + "/form.html"})
	ref := refOf(t, c.call("read_page", nil), "textbox")
	var seen []string
	see := func(tool string, a args) {
		t.Helper()
		seen = append(seen, c.call(tool, a))
	}
	see("form_input", args{"ref": ref, "value": "{secret:PASSWORD}"})
	see("javascript_tool", args{"code": `const f = [...document.querySelectorAll("input,textarea")].find(e => e.value.startsWith("hunter2"));
		document.title = f.value; localStorage.setItem("pw", f.value); document.cookie = "pw=" + encodeURIComponent(f.value);
		const b = btoa(unescape(encodeURIComponent("ann:" + f.value)));
		[f.value, encodeURIComponent(f.value), b, JSON.stringify(f.value), f.value.length]`})
	if want := "14"; !strings.Contains(seen[len(seen)-1], want) {
		t.Errorf("the page was given another value: %s", seen[len(seen)-1])
	}
	see("read_page", args{"mode": "full"})
	see("tabs_context", nil)
	see("storage", args{"storageType": "local", "action": "get", "key": "pw"})
	see("cookies", args{"action": "get"})
	see("navigate", args{"url": home + "/cookies"})
	see("read_page", nil)
	see("oc_journal", args{"action": "recent"})
	see("oc_checkpoint", args{"action": "save", "taskDescription": "log in with {secret:PASSWORD}"})
	for _, text := range seen {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyM") || strings.Contains(text, "h1bnRlcj") {
			t.Errorf("the value came back: %s", text)
		}
	}
	if !strings.Contains(strings.Join(seen, ""), "[secret:PASSWORD]") {
		t.Error("nothing was redacted, so nothing was tested")
	}
	c.says("oc_checkpoint", args{"action": "load"}, "log in with {secret:PASSWORD}")
	for _, form := range []string{"hunter2", "aHVudGVyM", "h1bnRlcj"} {
		if files := grep(t, dir, form); files != nil {
			t.Errorf("%q is in %v", form, files)
		}
	}
	c.refused("POLICY_DENIED", "javascript_tool", args{"code": "'{secret:PASSWORD}'"}, "script")
	c.refused("POLICY_DENIED", "navigate", args{"url": home + "/?{secret:PASSWORD}"}, "address")
	c.refused("INVALID_ARGUMENTS", "form_input", args{"ref": ref, "value": "{secret:PASSWD}"}, "PASSWORD")
	c.refused("NOT_FOUND", "find", args{"query": password, "waitForMs": 0})
}

// grep finds a text in the files below a directory.
func grep(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
