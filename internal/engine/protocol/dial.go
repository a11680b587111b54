package protocol

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// dialTimeout bounds the connection to a browser.
const dialTimeout = 20 * time.Second

// Dial connects to the debugging port of a browser, http://host:port, or to its WebSocket address,
// ws://host:port/devtools/browser/….
func Dial(ctx context.Context, address string) (chromedp.Transport, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	socket, err := socketAddress(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("find the WebSocket address of %s: %w", address, err)
	}
	return remote.DialContext(ctx, socket)
}

// socketAddress returns the WebSocket address of a browser. Chromium answers only requests for an IP
// address or localhost, so it resolves the host.
func socketAddress(ctx context.Context, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	host, port, err := net.SplitHostPort(u.Host)
	if err != nil {
		return "", err
	}
	if host != "localhost" && net.ParseIP(host) == nil {
		resolved, err := net.DefaultResolver.LookupIPAddr(ctx, host)
		if err != nil {
			return "", err
		}
		host = resolved[0].IP.String()
	}
	u.Host = net.JoinHostPort(host, port)
	if strings.Contains(u.Path, "/devtools/browser/") {
		return u.String(), nil
	}
	u.Scheme, u.Path = "http", "/json/version"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	var version struct {
		Socket string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(res.Body).Decode(&version); err != nil {
		return "", err
	}
	if version.Socket == "" {
		return "", fmt.Errorf("%s names no webSocketDebuggerUrl", u)
	}
	return version.Socket, nil
}
