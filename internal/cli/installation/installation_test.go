package installation_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/installation"
)

func TestOf(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	info := filepath.Join(root, "var", "lib", "dpkg", "info")
	if err := os.MkdirAll(info, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(info, "callsheet.list"), []byte("/.\n/usr\n/usr/bin/callsheet\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]installation.Kind{
		"/usr/bin/callsheet":       installation.Debian,
		"/usr/local/bin/callsheet": installation.Binary,
		"/home/ann/.npm/_npx/1a2b/node_modules/@callsheet/linux-x64/bin/callsheet": installation.NPM,
		"/home/ann/node_modules_old/callsheet":                                     installation.Binary,
	} {
		if got := installation.Of(path, root, "callsheet"); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
