package takeover_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestPicturesOfTheDocs takes the pictures of docs/how-to/watch.md, into the directory that CALLSHEET_UI_PICTURES names;
// see make ui-pictures.
func TestPicturesOfTheDocs(t *testing.T) {
	dir := os.Getenv("CALLSHEET_UI_PICTURES")
	if dir == "" {
		t.Skip("CALLSHEET_UI_PICTURES names no directory")
	}
	_, person := open(t)
	person.Call("interact", tooltest.Args{"query": "Take over button"})
	person.WaitScript("document.activeElement.className === 'surface'")
	clickAt(t, person, 200, 220)
	person.Call("computer", tooltest.Args{"action": "type", "text": "Ann"})
	clickAt(t, person, 200, 340)
	person.WaitScript("document.querySelector('.dialog')")
	for name, layout := range tooltest.Layouts {
		person.Call("emulate_device", layout[0])
		person.Call("emulate_environment", layout[1])
		person.Call("javascript_tool", tooltest.Args{"code": "document.querySelector('.stage').scrollIntoView()"})
		shot := pictureOf(person.Do("page_screenshot", nil))
		if len(shot) > 100_000 {
			t.Errorf("the picture %s has %d bytes, want at most 100 kB", name, len(shot))
		}
		if err := os.WriteFile(filepath.Join(dir, "ui-take-over-"+name+".png"), shot, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
