package chrome_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/chrome"
)

// aptGet answers as apt-get does, from the files of the directory $MIRROR; without it, there is no network.
const aptGet = `#!/bin/sh
case "$*" in
*update*reinstall* | *reinstall*update*) echo "E: Command line option --reinstall is not understood in combination with the other options" >&2; exit 100;;
*update*) [ -n "$MIRROR" ] || echo "W: Failed to fetch http://mirror/InRelease  Temporary failure resolving 'mirror'"; exit 0;;
esac
[ -n "$MIRROR" ] || { echo "E: Unable to locate package chromium" >&2; exit 100; }
echo "dlstatus:1:50.5:Retrieving file 1 of 2" >&3
case "$*" in
*--print-uris*) for f in "$MIRROR"/*.deb; do echo "'http://mirror/$(basename "$f")' $(basename "$f") 5 SHA256:0"; done; exit;;
*--download-only*) echo loaded >>"$MIRROR/log"; for o; do case $o in Dir::Cache=*) cp "$MIRROR"/*.deb "${o#*=}/archives/";; esac; done;;
*) echo "installed as root" >>"$MIRROR/log";;
esac
`

// dpkgDeb unpacks an archive of the test: it is a browser, or a library.
const dpkgDeb = `#!/bin/sh
case $2 in
*/libbad_*) echo "dpkg-deb: error: not a Debian archive" >&2; exit 2;;
*/chromium_*) mkdir -p "$3/usr/lib/chromium" && printf '#!/bin/sh\necho "$LD_LIBRARY_PATH"\n' >"$3/usr/lib/chromium/chromium" && chmod +x "$3/usr/lib/chromium/chromium";;
*/libc6_*) mkdir -p "$3/lib/c" && : >"$3/lib/c/libc.so.6";;
*) mkdir -p "$3/usr/lib/private" "$3/usr/share/man" && : >"$3/usr/lib/private/libpulsecommon-16.1.so" && : >"$3/usr/share/man/of.socket";;
esac
`

// TestUnpackPackages unpacks the packages of a mirror without root, once, and nothing of a broken one.
func TestUnpackPackages(t *testing.T) { //nolint:paralleltest // sets the home directory and the PATH
	if runtime.GOOS != "linux" {
		t.Skip("Debian's packages are of Linux")
	}
	for _, test := range []struct {
		name     string
		archives []string
		wrong    string
	}{
		{"good", []string{"chromium_156.0.1-1~deb12u1_amd64.deb", "chromium-common_156.0.1-1~deb12u1_amd64.deb", "libpulse0_16.1_amd64.deb", "libc6_2.36_amd64.deb"}, ""},
		{"another version", []string{"chromium_7.0_arm64.deb"}, ""},
		{"a broken archive", []string{"chromium_7.0_arm64.deb", "libbad_1_amd64.deb"}, "dpkg-deb: error: not a Debian archive"},
		{"no browser", []string{"chromium-common_7.0_arm64.deb"}, "apt-get plans no chromium"},
		{"no network", nil, "W: Failed to fetch http://mirror/InRelease  Temporary failure resolving 'mirror'; E: Unable to locate package chromium"},
	} {
		t.Run(test.name, func(t *testing.T) {
			home, bin, mirror := t.TempDir(), t.TempDir(), t.TempDir()
			t.Setenv("HOME", home)
			t.Setenv("PATH", bin+":/usr/bin:/bin")
			t.Setenv("MIRROR", "")
			if test.archives != nil {
				t.Setenv("MIRROR", mirror)
			}
			for path, text := range map[string]string{filepath.Join(bin, "apt-get"): aptGet, filepath.Join(bin, "dpkg-deb"): dpkgDeb} {
				if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range test.archives {
				if err := os.WriteFile(filepath.Join(mirror, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var shown []string
			unpack := func() (string, error) {
				return chrome.UnpackPackages(t.Context(), func(done, total float64, of string) {
					if done == 50.5 && total == 100 {
						shown = append(shown, of)
					}
				})
			}
			path, err := unpack()
			if left, _ := filepath.Glob(filepath.Join(home, ".cache/puppeteer/chrome/.incoming*")); len(left) > 0 {
				t.Errorf("%v stay", left)
			}
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("%s, %v, want %q", path, err, test.wrong)
				}
				return
			}
			version := strings.Split(test.archives[0], "_")[1]
			if want := filepath.Join(home, ".cache/puppeteer/chrome/linux-"+version+"/chrome-linux/chrome"); err != nil || path != want || len(shown) == 0 {
				t.Fatalf("%s %v, want %s; progress %q", path, err, want, shown)
			}
			out, err := exec.CommandContext(t.Context(), path).Output()
			if libraries := string(out); err != nil || strings.Contains(libraries, "/man") || strings.Contains(libraries, "lib/c:") ||
				len(test.archives) > 1 && !strings.Contains(libraries, filepath.Dir(path)+"/root/usr/lib/private") {
				t.Errorf("it starts with the libraries %q: %v", out, err)
			}
			again, err := unpack()
			if log, _ := os.ReadFile(filepath.Join(mirror, "log")); err != nil || again != path || string(log) != "loaded\n" {
				t.Errorf("the second time: %s %v, downloads %q", again, err, log)
			}
			err = chrome.InstallPackages(t.Context(), func(float64, float64, string) {})
			if log, _ := os.ReadFile(filepath.Join(mirror, "log")); err != nil || !strings.Contains(string(log), "installed as root") {
				t.Errorf("as root: %v, %q", err, log)
			}
		})
	}
}
