package act_test

import (
	"os"
	"path/filepath"
	"strings"
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
	if err := os.WriteFile(filepath.Join(c.Output, "a.txt"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := c.Expect("file_upload", tooltest.Args{"query": "Pick files", "filePaths": []string{"a.txt"}}, "attached"); strings.Contains(text, "the page asks") {
		t.Errorf("a chooser that has its files still asks: %s", text)
	}
	c.Expect("read_page", nil, "Pick files")
}

// A drop zone without an input takes files as a person drops them, and so does a field for directories take one.
func TestFileUploadToADropZone(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<!doctype html><style>div{width:300px;height:60px;border:1px solid}</style><div id=zone>Drop files here</div><div id=plain>Nothing</div><input id=dir type=file webkitdirectory><input id=file type=file>
<p id=out role=status></p><script>
zone.ondragover = e => e.preventDefault();
zone.ondrop = e => { e.preventDefault(); out.textContent = [...e.dataTransfer.files].map(f => f.name + ' ' + f.size).join(', ') };
dir.onchange = () => { out.textContent = [...dir.files].map(f => f.webkitRelativePath).sort().join(', ') };
</script>`)
	for name, text := range map[string]string{"a.txt": "12345", "album/b.txt": "1", "album/deep/c.txt": "12"} {
		path := filepath.Join(c.Output, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.Expect("file_upload", tooltest.Args{"selector": "#zone", "filePaths": []string{"a.txt", "album/b.txt"}}, "attached 2 file(s)", "a.txt 5, b.txt 1")
	c.ExpectRefusal("NOT_ACTIONABLE", "file_upload", tooltest.Args{"selector": "#plain", "filePaths": []string{"a.txt"}}, "takes no files that are dropped")
	c.ExpectScript("document.title + location.protocol", "http")
	c.Expect("file_upload", tooltest.Args{"selector": "#dir", "filePaths": []string{"album"}}, "attached the directory", `"b.txt, c.txt"`)
	c.WaitScript(`out.textContent === 'album/b.txt, album/deep/c.txt'`)
	c.ExpectRefusal("INVALID_ARGUMENTS", "file_upload", tooltest.Args{"selector": "#file", "filePaths": []string{"album"}}, "takes files")
	c.ExpectRefusal("INVALID_ARGUMENTS", "file_upload", tooltest.Args{"selector": "#dir", "filePaths": []string{"album", "a.txt"}}, "alone")
	if err := os.Symlink("/etc/passwd", filepath.Join(c.Output, "album", "leak")); err != nil {
		t.Fatal(err)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "file_upload", tooltest.Args{"selector": "#dir", "filePaths": []string{"album"}}, "not a regular file")
}
