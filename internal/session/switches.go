package session

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// allowedSwitches lists the Chromium switches that a client may pass: they change how pages look
// and behave. Chromium has over a thousand others. Some start programs, write files, send the traffic
// elsewhere, turn protections off or open the browser to others, and a deny list would be out of date
// with every release. The operator can pass any switch with --browser-arg, and allow more with
// --allow-switches.
func allowedSwitches() []string {
	return []string{
		"accept-lang", "autoplay-policy", "disable-dev-shm-usage", "disable-extensions", "disable-gpu", "force-color-profile",
		"force-dark-mode", "force-device-scale-factor", "force-prefers-reduced-motion", "hide-scrollbars", "high-dpi-support",
		"incognito", "kiosk", "lang", "mute-audio", "start-fullscreen", "start-maximized", "use-fake-device-for-media-stream",
		"user-agent", "window-position", "window-size",
	}
}

// checkSwitches returns an error for a switch that is neither harmless nor among more.
func checkSwitches(args, more []string) error {
	known := append(allowedSwitches(), more...)
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		switch {
		case !strings.HasPrefix(arg, "--") || name == "":
			return deniedSwitch(arg, "a switch is --name or --name=value")
		case !slices.Contains(known, name):
			return deniedSwitch(arg, "only the server's operator can pass it, with --browser-arg, or allow it, with --allow-switches; yours to use are "+
				strings.Join(known, ", "))
		}
	}
	return nil
}

func deniedSwitch(arg, reason string) error {
	return fault.Errorf(codes.PolicyDenied, "switch %s: %s", arg, reason).With("switch", arg)
}
