package chromium

import (
	"fmt"
	"strings"
)

// CheckArgs returns an error for the first argument that is no switch, or one that keeps the browser from being
// driven: this package connects over a pipe, and chooses the profile and the window itself.
func CheckArgs(args []string) error {
	instead := map[string]string{
		"remote-debugging-port":    "chrome_launch takes debug_port (--allow-debug-port), and --cdp-endpoint attaches to a browser that has a port",
		"remote-debugging-address": "--cdp-endpoint attaches to a browser that has an address",
		"user-data-dir":            "--user-data-dir chooses the profile",
		"no-startup-window":        "", "remote-debugging-pipe": "", "remote-debugging-io-pipes": "", "type": "", "version": "", "product-version": "", "help": "",
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(arg), "-"), "=")
		switch how, isReserved := instead[name]; {
		case name == "" || strings.ContainsAny(name, " /:"):
			return fmt.Errorf("%q is no switch of a browser; a switch is --name or --name=value", arg)
		case isReserved && how == "":
			return fmt.Errorf("a browser with --%s cannot be driven", name)
		case isReserved:
			return fmt.Errorf("--%s is not passed to the browser: %s", name, how)
		}
	}
	return nil
}
