// Package running finds the Chrome and Chromium browsers of this user that run, and whether their
// person has allowed remote debugging.
//
// A browser that may be debugged writes the file DevToolsActivePort into its profile directory. The
// package reads such files and asks the ports in them; it attaches to nothing, since a browser asks
// its person for each connection, and changes nothing.
package running

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// portFile is the file in which a browser says where it can be debugged.
const portFile = "DevToolsActivePort"

// probeTimeout bounds the questions to one port.
const probeTimeout = 2 * time.Second

// Browser is a running browser.
type Browser struct {
	Product string // such as "Google Chrome"; "" for one of a given directory
	Version string // such as "156.0.8078.79"; "" if unknown
	Dir     string // its profile directory
	Address string // where it can be debugged, ws://…; "" where its person has not allowed that
	Port    int    // of Address
	Pages   int    // open ones; -1 if unknown
}

// Allowed reports whether the person of the browser has allowed remote debugging.
func (b Browser) Allowed() bool { return b.Address != "" }

// Name is how a person knows the browser.
func (b Browser) Name() string {
	name := cmp.Or(b.Product, "Chromium")
	if b.Version != "" {
		name += " " + b.Version
	}
	return name
}

// Find returns the running browsers of the usual profile directories, of those that running processes name and of
// dirs, those that may be debugged first.
func Find(ctx context.Context, dirs ...string) []Browser {
	places := Usual()
	for _, dir := range append(profilesOfProcesses(), dirs...) {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		if !slices.ContainsFunc(places, func(p Place) bool { return p.Dir == dir }) {
			places = append(places, Place{Dir: dir})
		}
	}
	var found []Browser
	for _, p := range places {
		if b, ok := At(ctx, p); ok {
			found = append(found, b)
		}
	}
	slices.SortStableFunc(found, func(a, b Browser) int {
		switch {
		case a.Allowed() == b.Allowed():
			return 0
		case a.Allowed():
			return -1
		}
		return 1
	})
	return found
}

// At looks for the running browser of one place.
func At(ctx context.Context, p Place) (Browser, bool) {
	b := Browser{Product: p.Product, Dir: p.Dir, Pages: -1}
	if text, err := os.ReadFile(filepath.Join(p.Dir, "Last Version")); err == nil {
		b.Version = strings.TrimSpace(string(text))
	}
	held := isHeld(p.Dir)
	port, path, ok := readPortFile(p.Dir)
	if ok && b.probe(ctx, port, path, held) {
		return b, true
	}
	return b, held == heldHere
}

// readPortFile reads the port and the path of the browser's WebSocket.
func readPortFile(dir string) (port int, path string, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, portFile))
	if err != nil {
		return 0, "", false
	}
	first, path, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	port, err = strconv.Atoi(strings.TrimSpace(first))
	path = strings.TrimSpace(path)
	return port, path, err == nil && port > 0 && port < 1<<16 && strings.HasPrefix(path, "/devtools/browser/")
}

// probe reports whether the browser of the port file listens, and not another program at its port.
// A browser that asks its person for each connection answers no HTTP; the lock of its profile says
// then whether it runs.
func (b *Browser) probe(ctx context.Context, port int, path string, held holder) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	host := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return false
	}
	_ = conn.Close()
	var version struct {
		Browser string `json:"Browser"`
		Address string `json:"webSocketDebuggerUrl"`
	}
	switch err := getJSON(ctx, "http://"+host+"/json/version", &version); {
	case err == nil && !strings.HasSuffix(version.Address, path):
		return false
	case err != nil && held == heldNot:
		return false
	case err == nil:
		if _, number, ok := strings.Cut(version.Browser, "/"); ok {
			b.Version = number
		}
		var targets []struct {
			Type string `json:"type"`
		}
		if getJSON(ctx, "http://"+host+"/json/list", &targets) == nil {
			b.Pages = 0
			for _, t := range targets {
				if t.Type == "page" {
					b.Pages++
				}
			}
		}
	}
	b.Port, b.Address = port, "ws://"+host+path
	return true
}

func getJSON(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy of the environment
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	return json.NewDecoder(http.MaxBytesReader(nil, res.Body, 8<<20)).Decode(into)
}

// WebSocketPath asks the debugging port at host:port for the path of the browser's WebSocket.
func WebSocketPath(ctx context.Context, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	var version struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	if err := getJSON(ctx, "http://"+address+"/json/version", &version); err != nil {
		return "", fmt.Errorf("ask for the address of the browser: %w", err)
	}
	u, err := url.Parse(version.Address)
	if err != nil || !strings.HasPrefix(u.Path, "/devtools/browser/") {
		return "", errors.New("ask for the address of the browser: what answers is no browser")
	}
	return u.Path, nil
}
