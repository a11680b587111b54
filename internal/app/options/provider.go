package options

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"github.com/callsheet/callsheet/internal/cli/configfile"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/secret"
)

// ProviderValue is the flag with the name of a provider of the configuration file, and the provider once the file
// is read.
type ProviderValue struct {
	Name string

	found configfile.Provider
}

func (v *ProviderValue) String() string { return v.Name }

// Set takes the name of a provider, which is resolved later.
func (v *ProviderValue) Set(text string) error {
	v.Name = text
	return nil
}

// Type names the value in help.
func (*ProviderValue) Type() string { return "NAME" }

// ReadFile implements configfile.FileValue.
func (v *ProviderValue) ReadFile(file *configfile.File) (err error) {
	if v.Name == "" {
		return nil
	}
	if v.found, err = file.Provider(v.Name); err != nil {
		return fmt.Errorf("--browser-provider: %w", err)
	}
	return nil
}

// remote returns the browser of a provider. Its texts are expanded at each connection, and no error
// repeats what stood in the place of a placeholder.
func (v *ProviderValue) remote(vault *secret.Vault, tabs browser.TabAccess) *browser.Remote {
	p := v.found
	return &browser.Remote{
		Name: "the provider " + p.Name, Tabs: tabs, KeepAlive: p.KeepAlive,
		Dial: func(ctx context.Context) (chromedp.Transport, error) {
			address, header, err := expandProvider(p, vault)
			if err != nil {
				return nil, err
			}
			conn, err := remote.DialContext(ctx, address, remote.WithConnHTTPHeader(header))
			if err != nil {
				return nil, errors.New(strings.ReplaceAll(err.Error(), address, p.URL))
			}
			return conn, nil
		},
	}
}

// expandProvider fills in the address and the headers of a provider.
func expandProvider(p configfile.Provider, vault *secret.Vault) (address string, header http.Header, err error) {
	env := func(name string) (string, error) {
		value, ok := os.LookupEnv(name)
		if !ok {
			return "", fmt.Errorf("the variable %s of provider %s is not set", name, p.Name)
		}
		return value, nil
	}
	origin := originOfProvider(p.URL)
	fill := func(name string) (string, error) { return vault.Value(name, origin) }
	if address, err = configfile.Expand(p.URL, func(name string) (string, error) {
		value, err := env(name)
		return url.QueryEscape(value), err
	}, func(name string) (string, error) {
		value, err := fill(name)
		return url.QueryEscape(value), err
	}); err != nil {
		return "", nil, err
	}
	header = http.Header{}
	for name, text := range p.Headers {
		value, err := configfile.Expand(text, env, fill)
		if err != nil {
			return "", nil, err
		}
		header.Set(name, value)
	}
	return address, header, nil
}

// originOfProvider returns the origin that a secret for the provider is bound to: that of the
// WebSocket's address as HTTP names it.
func originOfProvider(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	return map[string]string{"ws": "http", "wss": "https"}[scheme] + "://" + host
}
