package session

import (
	"slices"
	"strings"
)

// allowedSwitches are the switches that a client may give to a browser it launches: they change how pages look and behave.
// Chromium has over a thousand others, and some of them start programs, write files or open the browser to others; a
// list of what is forbidden would be out of date with every release. The operator can pass any with --browser-arg.
func allowedSwitches() []string {
	return []string{
		"accept-lang", "autoplay-policy", "disable-dev-shm-usage", "disable-extensions", "disable-features", "disable-gpu",
		"disable-popup-blocking", "enable-features", "force-color-profile", "force-dark-mode", "force-device-scale-factor",
		"force-prefers-reduced-motion", "hide-scrollbars", "high-dpi-support", "incognito", "kiosk", "lang", "mute-audio",
		"proxy-bypass-list", "proxy-server", "start-fullscreen", "start-maximized", "use-fake-device-for-media-stream",
		"use-fake-ui-for-media-stream", "user-agent", "window-position", "window-size",
	}
}

// checkSwitches refuses every switch that is not known to be harmless.
func checkSwitches(args []string) error {
	known := allowedSwitches()
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		switch {
		case !strings.HasPrefix(arg, "--") || name == "":
			return &SwitchError{Switch: arg, Reason: "a switch is --name or --name=value"}
		case !slices.Contains(known, name):
			return &SwitchError{Switch: arg, Reason: "only the server's operator can pass it, with --browser-arg; yours to use are " +
				strings.Join(known, ", ")}
		}
	}
	return nil
}
