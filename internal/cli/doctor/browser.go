package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
)

// installRemedy says how to get a browser.
func installRemedy() string {
	switch runtime.GOOS {
	case "linux":
		return "callsheet browser install, or apt-get install chromium, or name one with --browser or CHROME_PATH"
	case "darwin":
		return "install Google Chrome, or name a browser with --browser or CHROME_PATH"
	}
	return "install Chrome or Chromium, or name it with --browser or CHROME_PATH"
}

// versionTimeout bounds how long a browser may take to say its version.
const versionTimeout = 10 * time.Second

func checkBrowser(ctx context.Context, s Subject) []Finding {
	if attaches(s) {
		return nil // a running one is attached to; start tells
	}
	path, err := chromium.FindExecutable(s.Browser.Executable)
	if err != nil {
		return problem(Failure, installRemedy(), "%v", err)
	}
	if runtime.GOOS == "windows" { // it opens a window instead of answering
		return pass("%s", path)
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && missingLibrary(string(exit.Stderr)) != "" {
			missing := missingLibrary(string(exit.Stderr))
			return problem(Failure, "install the system library "+missing, "%s lacks %s", path, missing)
		}
		return problem(Failure, "run it by hand: "+path+" --version", "%s does not run: %v", path, err)
	}
	return pass("%s, %s; %s", path, strings.TrimSpace(string(out)), whyChosen(s.Browser.Executable))
}

// whyChosen says why a browser is taken, and which others there are.
func whyChosen(configured string) string {
	switch {
	case configured != "":
		return "--browser names it"
	case os.Getenv("CHROME_PATH") != "":
		return "CHROME_PATH names it"
	}
	var all []string
	for _, path := range chromium.Installed() {
		if !slices.ContainsFunc(all, func(other string) bool { return isStarter(other, path) }) {
			all = append(all, path)
		}
	}
	if len(all) < 2 {
		return "the only one that was found"
	}
	return "the first that was found; --browser chooses another: " + strings.Join(all[1:], ", ")
}

// maxScript is more than the length of a script that starts a browser, in bytes.
const maxScript = 64 << 10

// isStarter reports whether a program is a script that starts another one, as distributions have it.
func isStarter(script, program string) bool {
	if info, err := os.Stat(script); err != nil || info.Size() > maxScript {
		return false
	}
	text, err := os.ReadFile(script)
	return err == nil && bytes.HasPrefix(text, []byte("#!")) && // Debian's has the name of the last directory in a variable
		(filepath.Dir(script) == filepath.Dir(program) || bytes.Contains(text, []byte(filepath.Dir(filepath.Dir(program))+"/")))
}

// missingLibrary finds the shared library that the dynamic linker missed.
func missingLibrary(output string) string {
	_, rest, ok := strings.Cut(output, "error while loading shared libraries: ")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}

func checkStart(ctx context.Context, s Subject) []Finding {
	b := browser.New(s.Browser)
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = b.Close(closing) // what it was started for is known
	}()
	g := operator.Grant("doctor")
	begun := time.Now()
	_, nav, err := b.IsolatedSession("doctor").Open(
		ctx, power.NewWindow(g), power.NewNavigation(g), "data:text/html,<title>callsheet</title>", browser.NavigateOptions{})
	took := time.Since(begun).Round(time.Millisecond)
	switch {
	case err == nil && nav.Title != "callsheet":
		return problem(Failure, "start the browser by hand and look at what it shows", "it starts, but shows %q instead of a page", nav.Title)
	case err == nil:
		found := pass("it starts and shows a page in %v", took)
		for _, f := range checkRenderers(b.Status().PID) {
			f.Check = "sandbox"
			found = append(found, f)
		}
		return found
	case s.Browser.Remote != nil:
		return problem(Failure, "start that browser and allow remote debugging, or drop --attach", "%v", err)
	case attaches(s):
		return problem(Failure, "start that browser with --remote-debugging-port, or drop --cdp-endpoint", "%v", err)
	}
	return problem(Failure, startRemedy(err.Error()), "it does not start: %v", err)
}

// startRemedy reads what a dying browser says.
func startRemedy(said string) string {
	switch {
	case strings.Contains(said, "No usable sandbox"), strings.Contains(said, "setuid sandbox"), strings.Contains(said, "namespace"):
		return "allow unprivileged user namespaces (as root: sysctl kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu, " +
			"kernel.unprivileged_userns_clone=1 on older Debian), or start with --browser-arg=--no-sandbox where every page is trusted"
	case strings.Contains(said, "ProcessSingleton"), strings.Contains(said, "profile appears to be in use"):
		return "close the browser that has the profile open, or name another --user-data-dir"
	case strings.Contains(said, "Missing X server"), strings.Contains(said, "cannot open display"):
		return "run without a window (--headless), or set DISPLAY"
	case missingLibrary(said) != "":
		return "install the system library " + missingLibrary(said)
	}
	return "start it by hand with --headless and read what it says"
}

func checkSandbox(_ context.Context, s Subject) []Finding {
	switch {
	case runtime.GOOS != "linux" || attaches(s):
		return nil
	case chromium.CheckRoot(s.Browser.Args) != nil:
		return problem(Failure, "run callsheet as an ordinary user or in a container, or start with --browser-arg=--no-sandbox", "running as root, and no container was recognised: no browser starts without its sandbox")
	case os.Getuid() == 0:
		return problem(Warning, "run callsheet as an ordinary user", "running as root: Chromium works without its sandbox, and a hostile page that breaks out owns the machine")
	}
	return nil // a browser that has started shows it
}

// checkRenderers reports whether the pages of a browser that has started run in its sandbox, which filters their system
// calls.
func checkRenderers(pid int) []Finding {
	processes, err := chromium.Descendants([]int{pid})
	if err != nil || os.Getuid() == 0 { // checkSandbox reports a root
		return nil
	}
	filtered := 0
	for _, p := range processes {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		if !strings.Contains(string(command), "--type=renderer") {
			continue
		}
		if n := systemCallFilters(fmt.Sprint(p.PID)); n >= 0 && n <= max(0, systemCallFilters("self")) {
			return problem(Warning, "start without --no-sandbox", "pages run without the sandbox: one that breaks out has this user's rights")
		}
		filtered++
	}
	if filtered == 0 {
		return nil
	}
	return pass("pages run in the sandbox")
}

// systemCallFilters counts the filters of a process, those of a container or service among them; -1 where the kernel, before
// 5.9, does not count them.
func systemCallFilters(pid string) int {
	status, _ := os.ReadFile("/proc/" + pid + "/status") // of a process that has ended nothing is known
	_, rest, _ := strings.Cut(string(status), "\nSeccomp_filters:\t")
	count, _, _ := strings.Cut(rest, "\n")
	if n, err := strconv.Atoi(count); err == nil {
		return n
	}
	return -1
}

func checkFonts(_ context.Context, s Subject) []Finding {
	if runtime.GOOS != "linux" {
		return nil
	}
	home, _ := os.UserHomeDir() // without one there are no fonts in it
	browser, _ := chromium.FindExecutable(s.Browser.Executable)
	n := 0
	for _, dir := range []string{
		"/usr/share/fonts", "/usr/local/share/fonts", filepath.Join(home, ".fonts"), filepath.Join(home, ".local/share/fonts"),
		filepath.Join(filepath.Dir(browser), "root/usr/share/fonts"), // of unpacked packages
	} {
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir
			}
			switch strings.ToLower(filepath.Ext(path)) {
			case ".ttf", ".otf", ".ttc", ".pfb", ".woff", ".woff2":
				n++
			}
			return nil
		})
	}
	if n == 0 {
		return problem(Warning, "install some (Debian, Ubuntu: apt-get install fonts-liberation fonts-noto-core)",
			"no fonts are installed: pictures and PDFs show boxes instead of letters")
	}
	return pass("%d font files", n)
}

func checkDisplay(_ context.Context, s Subject) []Finding {
	if s.Browser.Headless || runtime.GOOS != "linux" || attaches(s) {
		return nil
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return problem(Failure, "start without a window (--headless), or set DISPLAY, as xvfb-run does", "--headless=false, and there is no display")
	}
	return pass("DISPLAY=%s WAYLAND_DISPLAY=%s", os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY"))
}

func checkProfile(_ context.Context, s Subject) []Finding {
	dir := s.Browser.UserDataDir
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return pass("%s is made at the first start", dir)
	case err != nil:
		return problem(Failure, "check its permissions", "%v", err)
	case !info.IsDir():
		return problem(Failure, "name a directory with --user-data-dir", "%s is a file", dir)
	}
	if err := checkWritable(dir); err != nil {
		return problem(Failure, fmt.Sprintf("chown it to %d, or name another --user-data-dir", os.Getuid()), "%v", err)
	}
	if owner := profileHolder(dir); owner != "" && owner != processName(s.OwnPID) {
		return problem(Failure, "close that browser, or name another --user-data-dir", "%s is in use by %s", dir, owner)
	}
	if err := chromium.CheckProfile(dir); err != nil {
		return problem(Failure, "move the file away: the browser writes a new one, and the profile's names are lost", "the profile is broken: %v", err)
	}
	return pass("%s", dir)
}

// profileHolder names the live process of this machine that has a profile open. Chromium marks it
// with a symbolic link to HOST-PID; one that died leaves the link behind, and the next start
// replaces it.
func profileHolder(dir string) string {
	link, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	if err != nil {
		return ""
	}
	at := strings.LastIndexByte(link, '-')
	host, _ := os.Hostname() // an unknown one is no other's
	if at < 0 {
		return ""
	}
	if link[:at] != host {
		return "a browser on " + link[:at]
	}
	if _, err := os.Stat("/proc/" + link[at+1:]); err == nil {
		return processName(link[at+1:])
	}
	return ""
}

func processName(pid any) string { return fmt.Sprint("process ", pid) }

func checkOrphans(_ context.Context, _ Subject) []Finding {
	found := chromium.Orphans()
	if len(found) == 0 {
		return pass("no browser was left behind")
	}
	return problem(Warning, "call the tool oc_reap_orphans, or: kill "+strings.Trim(fmt.Sprint(found), "[]"),
		"%d browsers of ours run without a server: processes %v", len(found), found)
}
