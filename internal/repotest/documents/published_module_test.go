//go:build unix

package documents

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	modpath "golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// compilerModule is the module of gen/.
const compilerModule = "github.com/callsheet/callsheet/gen"

// publishCompiler returns the variables of somebody for whom gen/ is published as it is in this
// checkout: a module proxy of the test serves it. Its version is made of its contents, so that what has
// not changed since an earlier test is compiled already. The module cache is this user's, where
// requirements are; the module is removed from there when the test ends.
func publishCompiler(t *testing.T) []string {
	t.Helper()
	cache := goEnv(t, "GOMODCACHE")
	contents, err := dirhash.HashDir(filepath.Join(checkout, "gen"), "", dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	version := modpath.Version{Path: compilerModule, Version: fmt.Sprintf("v0.0.1-test.%x", contents)}
	lock(t, filepath.Join(cache, "cache", "callsheet-test.lock"))
	next := goEnv(t, "GOPROXY")
	proxy := httptest.NewServer(moduleProxy(packModule(t, version), filepath.Join(cache, "cache", "download"), next))
	t.Cleanup(proxy.Close)
	t.Cleanup(func() { forget(t, cache, version) })
	proxies := proxy.URL
	if !strings.HasPrefix(next, "http") { // such as direct, to which no client can be sent
		proxies += "," + next
	}
	return []string{
		"GOPROXY=" + proxies, "GONOPROXY=none", "GONOSUMDB=" + compilerModule, "GOFLAGS=" + goEnv(t, "GOFLAGS") + " -modcacherw", "GOTOOLCHAIN=local", "GOWORK=off",
	}
}

// lock locks a file until the test ends. It waits for the tests of other checkouts.
func lock(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}

// forget removes a version from a module cache, with the directories that become empty.
func forget(t *testing.T, cache string, version modpath.Version) {
	t.Helper()
	unpacked := filepath.Join(cache, version.Path+"@"+version.Version)
	versions := filepath.Join(cache, "cache", "download", version.Path, "@v")
	files, err := filepath.Glob(filepath.Join(versions, version.Version+".*"))
	list := filepath.Join(versions, "list")
	text, _ := os.ReadFile(list) // there is none when the test failed before its first download
	rest := strings.ReplaceAll(string(text), version.Version+"\n", "")
	if rest == "" {
		files = append(files, list)
	} else {
		err = errors.Join(err, os.WriteFile(list, []byte(rest), 0o644))
	}
	for _, path := range append(files, unpacked) {
		err = errors.Join(err, os.RemoveAll(path))
	}
	if err != nil {
		t.Error(err)
	}
	for _, dir := range []string{filepath.Dir(unpacked), versions} {
		for ; dir != cache && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
	}
}

// packModule makes the directory of a module proxy that has one version of gen/.
func packModule(t *testing.T, version modpath.Version) (dir string) {
	t.Helper()
	dir = t.TempDir()
	at := filepath.Join(dir, filepath.FromSlash(version.Path), "@v")
	info := fmt.Sprintf(`{"Version": %q, "Time": %q}`, version.Version, time.Now().UTC().Format(time.RFC3339))
	requirements, err := os.ReadFile(filepath.Join(checkout, "gen/go.mod"))
	err = errors.Join(err, os.MkdirAll(at, 0o755))
	for name, text := range map[string]string{"list": version.Version, version.Version + ".info": info, version.Version + ".mod": string(requirements)} {
		err = errors.Join(err, os.WriteFile(filepath.Join(at, name), []byte(text), 0o644))
	}
	archive, created := os.Create(filepath.Join(at, version.Version+".zip"))
	if err := errors.Join(err, created); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(zip.CreateFromDir(archive, version, filepath.Join(checkout, "gen")), archive.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// moduleProxy serves the modules of this project from published. It serves others from downloads, or
// else sends the client to the first of proxies, a value of GOPROXY, if that is a server.
func moduleProxy(published, downloads, proxies string) http.Handler {
	first, _, _ := strings.Cut(strings.ReplaceAll(proxies, "|", ","), ",")
	mux := http.NewServeMux()
	mux.Handle("/github.com/callsheet/", http.FileServer(http.Dir(published)))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		file := filepath.Join(downloads, filepath.FromSlash(r.URL.Path))
		if _, err := os.Stat(file); err == nil {
			http.ServeFile(w, r, file)
		} else if strings.HasPrefix(first, "http") {
			http.Redirect(w, r, first+r.URL.EscapedPath(), http.StatusFound)
		} else {
			http.NotFound(w, r)
		}
	})
	return mux
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(fmt.Errorf("read %s: %w", name, err))
	}
	return strings.TrimSpace(string(value))
}
