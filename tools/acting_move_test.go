package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestEffectTellsWhatARuleReveals(t *testing.T) {
	t.Parallel()
	c, page := acting(t, toolkit.Options{})
	c.says("interact", args{"ref": refOf(t, page, `"Toggle"`)}, "+ Panel words")
	c.says("interact", args{"ref": refOf(t, page, `"Unfold"`)}, "+ Folded words")
	c.says("interact", args{"ref": refOf(t, page, `"Hover menu"`), "action": "hover"}, `menu "Sub" shown`)
	c.says("interact", args{"query": "Sub item"}, "#y")
	c.says("interact", args{"ref": refOf(t, page, `"Later frame"`)}, "+ Drawn later")
	c.says("interact", args{"ref": refOf(t, page, `"Timer"`)}, "+ Timed")
	c.says("interact", args{"query": "Far away"}, "title: far")
	c.says("interact", args{"ref": refOf(t, page, `"Toggle"`)}, "clicked") // under a sticky head unless it is scrolled right
}

func TestClickVariants(t *testing.T) {
	t.Parallel()
	c, page := acting(t, toolkit.Options{})
	ref := refOf(t, page, `"Many clicks"`)
	for _, a := range []args{{"action": "click"}, {"action": "double_click"}, {"action": "right_click"}, {"action": "middle_click"}} {
		a["ref"] = ref
		c.call("interact", a)
	}
	c.call("computer", args{"action": "triple_click", "ref": ref})
	c.call("computer", args{"action": "left_click", "ref": ref, "text": "Control"})
	got := c.call("javascript_tool", args{"code": "multiout.textContent"})
	if want := "click0 click0 click0 dblclick0 contextmenu2 auxclick2 auxclick1 click0 click0 dblclick0 click0x3 click0C "; got != want {
		t.Errorf("the page saw %q, want %q", got, want)
	}
	c.refused("INVALID_ARGUMENTS", "computer", args{"action": "left_click", "ref": ref, "text": "Cntrol"}, "Control")
}

func TestDragDrop(t *testing.T) {
	t.Parallel()
	c, page := acting(t, toolkit.Options{})
	order := func() string {
		return c.call("javascript_tool", args{"code": "[...list.children].map(e => e.textContent).join() + ' ' + downs"})
	}
	query := func(id string) string {
		return refOf(t, c.call("query_dom", args{"method": "css", "selector": id}), "[e")
	}
	a, b, g := query("#a"), query("#b"), query("#c")
	c.call("drag_drop", args{"ref": a, "target_ref": g, "position": "after"})
	if got := order(); got != "Beta,Gamma,Alpha 0" {
		t.Errorf("after: %s", got)
	}
	c.call("drag_drop", args{"ref": a, "target_ref": b, "position": "before"})
	if got := order(); got != "Alpha,Beta,Gamma 0" {
		t.Errorf("before: %s", got)
	}
	c.says("drag_drop", args{"ref": g, "target_ref": query("#zone")}, "Got Gamma")
	if got := c.call("javascript_tool", args{"code": "drags.join()"}); got != "start,end,start,end,start,end" {
		t.Errorf("drags: %s", got)
	}
	grip := refOf(t, page, `"Grip"`)
	c.call("computer", args{"action": "scroll_to", "ref": grip})
	at := c.call("javascript_tool", args{"code": "const r = grip.getBoundingClientRect(); Math.round(r.x + 20) + ' ' + Math.round(r.y + 10)"})
	var x, y float64
	if _, err := sscan(at, &x, &y); err != nil {
		t.Fatal(err)
	}
	c.says("drag_drop", args{"ref": grip, "end": []float64{x + 120, y}}, "Moved 120 in steps")
	c.refused("INVALID_ARGUMENTS", "drag_drop", args{"ref": grip})
	c.refused("NOT_FOUND", "drag_drop", args{"ref": grip, "target_ref": "e99999"})
	if got := order(); !strings.HasSuffix(got, " 0") {
		t.Errorf("a button is down: %s", got)
	}
}

func TestLightweightScroll(t *testing.T) {
	t.Parallel()
	c, page := acting(t, toolkit.Options{})
	c.says("lightweight_scroll", args{"direction": "down"}, "at 0,300")
	c.says("lightweight_scroll", args{"direction": "down", "scrollToEnd": true}, "this is the end")
	c.says("lightweight_scroll", args{"direction": "up", "scrollToEnd": true}, "at 0,0", "this is the end")
	c.says("lightweight_scroll", args{"direction": "up"}, "it did not move")
	box := refOf(t, page, `"Box"`)
	c.says("lightweight_scroll", args{"direction": "down", "amount": 100, "ref": box}, `region "Box"`, "at 0,100 of")
	inner := refOf(t, c.call("query_dom", args{"method": "css", "selector": "#dbox"}), "[e")
	c.says("lightweight_scroll", args{"direction": "down", "amount": 50, "ref": inner}, "at 0,50 of")
	c.says("computer", args{"action": "scroll", "ref": inner, "scroll_amount": 1}, "scrolled")
	if got := c.call("javascript_tool", args{"code": "dbox.scrollTop > 50"}); got != "true" {
		t.Errorf("the wheel does not scroll a disabled container: %s", got)
	}
	c.refused("INVALID_ARGUMENTS", "lightweight_scroll", args{"direction": "sideways"})
	c.refused("INVALID_ARGUMENTS", "lightweight_scroll", args{"direction": "up", "amount": -1})
}

func TestFileUpload(t *testing.T) {
	t.Parallel()
	c, page := acting(t, toolkit.Options{})
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(c.Output, name), []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(c.Output, "leak")); err != nil {
		t.Fatal(err)
	}
	c.says("file_upload", args{"selector": "#file", "filePaths": []string{"a.txt", filepath.Join(c.Output, "b.txt")}}, "attached 2 file(s)", "a.txt:5,b.txt:5")
	c.says("file_upload", args{"ref": refOf(t, page, `"One file"`), "filePaths": []string{"b.txt"}}, "one b.txt")
	c.says("file_upload", args{"ref": refOf(t, page, `"Choose"`), "filePaths": []string{"a.txt"}}, "chosen a.txt")
	c.refused("INVALID_ARGUMENTS", "file_upload", args{"selector": "#one", "filePaths": []string{"a.txt", "b.txt"}}, "one file")
	c.refused("POLICY_DENIED", "file_upload", args{"selector": "#file", "filePaths": []string{"/etc/hostname"}}, "file-root")
	c.refused("POLICY_DENIED", "file_upload", args{"selector": "#file", "filePaths": []string{"leak"}})
	c.refused("POLICY_DENIED", "file_upload", args{"selector": "#file", "filePaths": []string{"../x"}})
	c.refused("NOT_FOUND", "file_upload", args{"selector": "#file", "filePaths": []string{"none.txt"}})
	c.refused("NOT_FOUND", "file_upload", args{"selector": "#nothing", "filePaths": []string{"a.txt"}})
	c.refused("NOT_ACTIONABLE", "file_upload", args{"ref": refOf(t, page, `"Toggle"`), "filePaths": []string{"a.txt"}}, "no file chooser")
	c.refused("INVALID_ARGUMENTS", "file_upload", args{"selector": "#file", "filePaths": []string{}})
}
