package chromium

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
)

// Options describe how Chromium is started. The zero value is a browser with windows.
type Options struct {
	Headless      bool
	Width, Height int      // size of a window in CSS pixels
	DebugPort     int      // a loopback port for other debuggers; 0 opens none
	Args          []string // more switches, "--name" or "--name=value"; they win over the defaults
	// Persistent reports that the user data directory is the user's own, whose extensions stay
	// enabled.
	Persistent bool
	// TempDir is the directory of temporary files; "" is that of this process.
	TempDir string
}

// defaultSwitches turn off background traffic, prompts and the throttling of pages in the
// background.
func defaultSwitches() []string {
	return []string{
		"no-first-run", "no-default-browser-check", "no-startup-window",
		"disable-background-networking", "disable-component-update", "disable-sync", "disable-quic",
		"disable-breakpad", "disable-client-side-phishing-detection", "disable-default-apps",
		"disable-hang-monitor", "disable-prompt-on-repost", "metrics-recording-only",
		// Pages in the background run like the one in front.
		"disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
		"disable-background-timer-throttling", "disable-ipc-flooding-protection",
		// Input before a document's first frame is not dropped.
		"allow-pre-commit-input",
		// /dev/shm is 64 MB in most containers, and Chromium crashes when it is full.
		"disable-dev-shm-usage",
		// The keyring of the desktop asks no questions.
		"use-mock-keychain",
	}
}

// disabledFeatures are Chromium features that slow down or break automation. The omnibox popups are
// web pages in every window: without them a tab opens a third faster. A prerendered page would swap
// the target under a tab. A page defers its tasks after an input until it has drawn, which would
// cost every click a frame.
const disabledFeatures = "Translate,MediaRouter,OptimizationHints,Prerender2,DeferRendererTasksAfterInput," +
	"WebUIOmniboxPopup,WebUIOmniboxAimPopup,OmniboxWebUIPopup,WebUIOmniboxFullPopup"

// AllocatorOptions returns chromedp's options for an executable and a user data directory, for tests and
// measurements that use chromedp itself.
func (o Options) AllocatorOptions(executable, dataDir string) []chromedp.ExecAllocatorOption {
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(executable), chromedp.UserDataDir(dataDir),
		chromedp.NoInheritEnv, chromedp.Env(environment(o.TempDir)...), chromedp.ModifyCmdFunc(SetProcessGroup),
	}
	for _, s := range o.switches() {
		name, value, valued := strings.Cut(s, "=")
		if valued {
			opts = append(opts, chromedp.Flag(name, value))
		} else {
			opts = append(opts, chromedp.Flag(name, true))
		}
	}
	if os.Getuid() != 0 {
		opts = append(opts, chromedp.Flag("no-sandbox", false))
	}
	return opts
}

// arguments returns the arguments of a Chromium that speaks the protocol over a pipe.
func (o Options) arguments(dataDir string) []string {
	args := []string{"--user-data-dir=" + dataDir, "--remote-debugging-pipe"}
	for _, s := range o.switches() {
		args = append(args, "--"+s)
	}
	if o.DebugPort != 0 {
		args = append(args, fmt.Sprintf("--remote-debugging-port=%d", o.DebugPort))
	}
	return append(args, "about:blank")
}

// switches returns the switches as "name" or "name=value". Chromium runs without its sandbox for uid 0
// only, where it refuses to start with it. Of two switches with one name, the later one wins.
func (o Options) switches() []string {
	out := []string{
		fmt.Sprintf("window-size=%d,%d", o.Width, o.Height), "password-store=basic", "force-color-profile=srgb",
	}
	out = append(out, defaultSwitches()...)
	if !o.Persistent {
		out = append(out, "disable-extensions")
	}
	if o.Headless {
		out = append(out, "headless=new", "disable-gpu", "hide-scrollbars", "mute-audio",
			// The window's own animations, such as that of a new tab, would be drawn. Those of pages go on.
			"animation-duration-scale=0")
	}
	if os.Getuid() == 0 { // WarnOfSandbox says so
		out = append(out, "no-sandbox")
	}
	return keepLast(append(out, argSwitches(o.Args)...))
}

// keepLast drops each switch that a later one with its name replaces.
func keepLast(switches []string) []string {
	last := make(map[string]int)
	name := func(s string) string { n, _, _ := strings.Cut(s, "="); return n }
	for i, s := range switches {
		last[name(s)] = i
	}
	var out []string
	for i, s := range switches {
		if last[name(s)] == i {
			out = append(out, s)
		}
	}
	return out
}

// environment returns the environment of a browser. It leaves out callsheet's own variables, which
// hold secrets.
func environment(tempDir string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CALLSHEET_") })
	if tempDir != "" { // the last value counts
		for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
			env = append(env, name+"="+tempDir)
		}
	}
	return env
}

// argSwitches parses switches. It joins lists of enabled features, and a list of disabled ones with
// disabledFeatures, because Chromium obeys only the last of several lists.
func argSwitches(args []string) (switches []string) {
	disabled := disabledFeatures
	var enabled []string
	for _, arg := range args {
		s := strings.TrimLeft(strings.TrimSpace(arg), "-")
		switch name, value, _ := strings.Cut(s, "="); name {
		case "":
		case "enable-features":
			enabled = append(enabled, value)
		case "disable-features":
			disabled += "," + value
		default:
			switches = append(switches, s)
		}
	}
	if len(enabled) > 0 {
		switches = append(switches, "enable-features="+strings.Join(enabled, ","))
	}
	return append(switches, "disable-features="+disabled)
}
