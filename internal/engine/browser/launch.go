package browser

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
)

// defaultSwitches keep Chromium from doing what nobody asked for: talking to its maker,
// asking questions, and slowing down pages that no person looks at.
func defaultSwitches() []string {
	return []string{
		"no-first-run", "no-default-browser-check", "no-startup-window",
		"disable-background-networking", "disable-component-update", "disable-sync", "disable-quic",
		"disable-breakpad", "disable-client-side-phishing-detection", "disable-default-apps",
		"disable-hang-monitor", "disable-prompt-on-repost", "metrics-recording-only",
		// Pages in the background must run like the one in front.
		"disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
		"disable-background-timer-throttling", "disable-ipc-flooding-protection",
		// A window that a script opens is a tab of its session, never a silent loss.
		"disable-popup-blocking",
		// /dev/shm is 64 MB in most containers, and Chromium crashes when it is full.
		"disable-dev-shm-usage",
		// No question from the keyring of the desktop.
		"use-mock-keychain",
	}
}

// disabledFeatures are Chromium features that get in the way. The omnibox popups are
// web pages of their own in every window: without them a tab opens a third faster.
// A prerendered page would swap the target under a tab. A page would otherwise put off
// its tasks after an input until it has drawn, which costs every click a frame.
const disabledFeatures = "Translate,MediaRouter,OptimizationHints,Prerender2,DeferRendererTasksAfterInput," +
	"WebUIOmniboxPopup,WebUIOmniboxAimPopup,OmniboxWebUIPopup,WebUIOmniboxFullPopup"

// launchOptions turns the configuration into chromedp's.
func launchOptions(cfg Config, executable, profile string) []chromedp.ExecAllocatorOption {
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(executable),
		chromedp.UserDataDir(profile),
		chromedp.NoInheritEnv,
		chromedp.Env(environment()...),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
			setProcessGroup(cmd)
			if cfg.DebugPort != 0 { // beside the pipe: as an option it would replace that, and Chromium outlive us
				cmd.Args = append(cmd.Args, fmt.Sprintf("--remote-debugging-port=%d", cfg.DebugPort))
			}
		}),
		chromedp.WindowSize(cfg.Viewport.Width, cfg.Viewport.Height),
		chromedp.Flag("password-store", "basic"),
		chromedp.Flag("force-color-profile", "srgb"),
	}
	for _, name := range defaultSwitches() {
		opts = append(opts, chromedp.Flag(name, true))
	}
	if cfg.UserDataDir == "" {
		opts = append(opts, chromedp.Flag("disable-extensions", true))
	}
	if cfg.Headless {
		opts = append(opts, chromedp.Flag("headless", "new"), chromedp.Flag("disable-gpu", true),
			chromedp.Flag("hide-scrollbars", true), chromedp.Flag("mute-audio", true))
	}
	switch {
	case cfg.Sandbox == SandboxOff, cfg.Sandbox == SandboxAuto && os.Getuid() == 0:
		opts = append(opts, chromedp.NoSandbox)
	default:
		opts = append(opts, chromedp.Flag("no-sandbox", false))
	}
	return append(opts, argOptions(cfg.Args)...)
}

// environment is that of a browser: without callsheet's own variables, which hold its secrets.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CALLSHEET_") })
}

// argOptions parses the caller's flags. Feature lists are joined with ours, since
// Chromium obeys only the last of several.
func argOptions(args []string) []chromedp.ExecAllocatorOption {
	disabled := disabledFeatures
	var opts []chromedp.ExecAllocatorOption
	for _, arg := range args {
		name, value, valued := strings.Cut(strings.TrimLeft(strings.TrimSpace(arg), "-"), "=")
		switch {
		case name == "":
		case name == "disable-features":
			disabled = fmt.Sprintf("%s,%s", disabled, value)
		case valued:
			opts = append(opts, chromedp.Flag(name, value))
		default:
			opts = append(opts, chromedp.Flag(name, true))
		}
	}
	return append(opts, chromedp.Flag("disable-features", disabled))
}
