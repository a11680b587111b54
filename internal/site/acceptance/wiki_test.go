package acceptance_test

import (
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/proctest"
)

//go:embed wiki
var wikiFiles embed.FS

// WikiVariable names the environment variable with the directory where TiddlyWiki's node_modules
// is or is to be; without it, it is below the user's cache.
const WikiVariable = "CALLSHEET_WIKI"

// StartWiki starts TiddlyWiki (from npm) with a wiki of five tiddlers.
func StartWiki(t testing.TB) App {
	t.Helper()
	proctest.Need(t, "node")
	program := installWiki(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, wikiFiles); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "serve.js", program, "content")
	cmd.Dir = filepath.Join(dir, "wiki")
	return startProcess(t, "wiki", cmd)
}

// installWiki returns the directory of the package, which npm installs at the first call.
func installWiki(t testing.TB) string {
	t.Helper()
	dir := os.Getenv(WikiVariable)
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			missing(t, "no directory for TiddlyWiki: %v", err)
		}
		dir = filepath.Join(cache, "callsheet", "wiki")
	}
	installed := filepath.Join(dir, "node_modules", "tiddlywiki")
	if _, err := os.Stat(filepath.Join(installed, "package.json")); err == nil {
		return installed
	}
	proctest.Need(t, "npm")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(dir, "install-") //nolint:usetesting // it is renamed within its file system
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	runNpm(t, fresh)
	// Another test may have installed it meanwhile; its copy is as good.
	if err := os.Rename(filepath.Join(fresh, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		if _, absent := os.Stat(installed); absent != nil {
			t.Fatal(err)
		}
	}
	return installed
}

// runNpm installs TiddlyWiki in a directory.
func runNpm(t testing.TB, dir string) {
	t.Helper()
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := wikiFiles.ReadFile("wiki/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, "npm cannot install TiddlyWiki: %v\n%s", err, out)
	}
}
