package session

import (
	"slices"
	"strings"
)

// allowedSwitches lists the Chromium switches that a client may pass: they change how pages look
// and behave. Chromium has over a thousand others. Some start programs, write files or open the
// browser to others, and a deny list would be out of date with every release. The operator can pass
// any switch with --browser-arg.
func allowedSwitches() []string {
	return []string{
		"accept-lang", "autoplay-policy", "disable-dev-shm-usage", "disable-extensions", "disable-features", "disable-gpu",
		"disable-popup-blocking", "enable-features", "force-color-profile", "force-dark-mode", "force-device-scale-factor",
		"force-prefers-reduced-motion", "hide-scrollbars", "high-dpi-support", "incognito", "kiosk", "lang", "mute-audio",
		"proxy-bypass-list", "proxy-server", "start-fullscreen", "start-maximized", "use-fake-device-for-media-stream",
		"use-fake-ui-for-media-stream", "user-agent", "window-position", "window-size",
	}
}

// checkSwitches returns a SwitchError for a switch that is not allowed.
func checkSwitches(args []string) error {
	known := allowedSwitches()
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		switch {
		case !strings.HasPrefix(arg, "--") || name == "":
			return &SwitchError{Switch: arg, Reason: "a switch is --name or --name=value"}
		case !slices.Contains(known, name):
			return &SwitchError{Switch: arg,
				Reason: "only the server's operator can pass it, with --browser-arg; yours to use are " +
					strings.Join(known, ", ")}
		}
	}
	return nil
}
