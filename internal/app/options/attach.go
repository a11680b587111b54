package options

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/session"
)

// AttachAny stands for the only browser whose remote debugging is allowed.
const AttachAny = "any"

// RemoteBrowser returns the browser that --attach or --browser-provider names, or nil.
func (c *Config) RemoteBrowser() *browser.Remote {
	switch {
	case c.Provider.Name != "":
		return c.Provider.remote(c.Vault, c.Browser.Tabs)
	case c.Attach == "":
		return nil
	case c.Attach == AttachAny:
		return session.PersonBrowser{}.Remote(c.Browser.Tabs)
	}
	return session.PersonBrowser{Dir: c.Attach}.Remote(c.Browser.Tabs)
}

// checkAttach checks --attach or --browser-provider together with the other flags that choose a browser.
func (c *Config) checkAttach(f *pflag.FlagSet) error {
	chosen := "attach"
	if c.Provider.Name != "" {
		chosen = "browser-provider"
	}
	for _, name := range []string{"cdp-endpoint", "browser", "user-data-dir", "browser-arg", "attach"} {
		if f.Changed(name) && name != chosen {
			return fmt.Errorf("--%s uses a running browser: --%s cannot choose or change it", chosen, name)
		}
	}
	if err := c.RemoteBrowser().Check(); err != nil {
		return fmt.Errorf("--tabs %s: %w", c.Browser.Tabs, err)
	}
	return nil
}
