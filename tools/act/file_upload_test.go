package act_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestFileUpload(t *testing.T) {
	t.Parallel()
	c, page := tooltest.OpenActingPage(t, toolkit.Options{})
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(c.Output, name), []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(c.Output, "leak")); err != nil {
		t.Fatal(err)
	}
	c.Expect("file_upload", tooltest.Args{"selector": "#file", "filePaths": []string{"a.txt", filepath.Join(c.Output, "b.txt")}}, "attached 2 file(s)", "a.txt:5,b.txt:5")
	c.Expect("file_upload", tooltest.Args{"ref": tooltest.Ref(t, page, `"One file"`), "filePaths": []string{"b.txt"}}, "one b.txt")
	c.Expect("file_upload", tooltest.Args{"ref": tooltest.Ref(t, page, `"Choose"`), "filePaths": []string{"a.txt"}}, "chosen a.txt")
	c.ExpectRefusal("INVALID_ARGUMENTS", "file_upload", tooltest.Args{"selector": "#one", "filePaths": []string{"a.txt", "b.txt"}}, "one file")
	c.ExpectRefusal("POLICY_DENIED", "file_upload", tooltest.Args{"selector": "#file", "filePaths": []string{"/etc/hostname"}}, "file-root")
	c.ExpectRefusal("POLICY_DENIED", "file_upload", tooltest.Args{"selector": "#file", "filePaths": []string{"leak"}})
	c.ExpectRefusal("POLICY_DENIED", "file_upload", tooltest.Args{"selector": "#file", "filePaths": []string{"../x"}})
	c.ExpectRefusal("NOT_FOUND", "file_upload", tooltest.Args{"selector": "#file", "filePaths": []string{"none.txt"}})
	c.ExpectRefusal("NOT_FOUND", "file_upload", tooltest.Args{"selector": "#nothing", "filePaths": []string{"a.txt"}})
	c.ExpectRefusal("NOT_ACTIONABLE", "file_upload", tooltest.Args{"ref": tooltest.Ref(t, page, `"Toggle"`), "filePaths": []string{"a.txt"}}, "no file chooser")
	c.Expect("file_upload", tooltest.Args{"query": "One file", "filePaths": []string{"a.txt"}}, "one a.txt")
	c.ExpectRefusal("INVALID_ARGUMENTS", "file_upload", tooltest.Args{"selector": "#file", "filePaths": []string{}})
}

func TestFileChooserIsReported(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/chooser"})
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, c.Call("read_page", nil), `"Upload"`)}, "clicked", "the page asks for a file;")
	c.Expect("interact", tooltest.Args{"query": "Pick files"}, "the page asks for files;")
	c.Expect("read_page", nil, "Pick files")
}
