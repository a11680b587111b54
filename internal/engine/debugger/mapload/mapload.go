// Package mapload loads source maps through the browser: for a debugger, to which CDP reports the
// source map URL of each script, and for positions of which only the URL of the script is known.
//
// It loads only resources that the page itself could load. It must not know pauses, nor the purpose
// of positions.
package mapload

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// limit is the largest accepted source map, in bytes.
const limit = 32 << 20

// Load returns the text of a source map and its base URL. script is the URL of the script; mapURL
// is its sourceMappingURL. Load accepts data: URLs, the script's own host and loopback hosts.
func Load(ctx context.Context, s cdp.Session, frame cdp.FrameID, script, mapURL string) (text []byte, base string, err error) {
	if rest, ok := strings.CutPrefix(mapURL, "data:"); ok {
		text, err = decodeDataURL(rest)
		return text, script, err
	}
	from, err := url.Parse(script)
	if err != nil {
		return nil, "", fmt.Errorf("read the address of a script: %w", err)
	}
	to, err := from.Parse(mapURL)
	if err != nil {
		return nil, "", fmt.Errorf("read the address of a source map: %w", err)
	}
	if to.Scheme != "http" && to.Scheme != "https" || to.Host != from.Host && !isLoopback(to.Hostname()) {
		return nil, "", fault.New(codes.Failed, fmt.Sprintf("load the source map %s: it is on another site", to))
	}
	text, err = fetch(ctx, s, frame, to.String())
	return text, to.String(), err
}

func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func decodeDataURL(data string) ([]byte, error) {
	kind, body, ok := strings.Cut(data, ",")
	switch {
	case !ok || len(body) > limit:
		return nil, fault.New(codes.Failed, "read an inline source map: it is malformed or too large")
	case strings.HasSuffix(kind, ";base64"):
		text, err := base64.StdEncoding.DecodeString(body)
		if err != nil {
			return nil, fmt.Errorf("read an inline source map: %w", err)
		}
		return text, nil
	}
	text, err := url.PathUnescape(body)
	if err != nil {
		return nil, fmt.Errorf("read an inline source map: %w", err)
	}
	return []byte(text), nil
}

// fetch loads a resource as the frame would. The browser process loads it, so fetch works while the
// page is paused.
func fetch(ctx context.Context, s cdp.Session, frame cdp.FrameID, address string) ([]byte, error) {
	res, err := cdp.Call(ctx, s, network.LoadNetworkResource, network.LoadNetworkResourceParams{
		FrameID: frame, URL: address, Options: &network.LoadNetworkResourceOptions{IncludeCredentials: true},
	})
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", address, err)
	}
	if res.Resource == nil || !res.Resource.Success || res.Resource.Stream == "" {
		return nil, fault.New(codes.Failed, fmt.Sprintf("load %s: the browser could not", address))
	}
	defer func() {
		_, _ = cdp.Call(context.WithoutCancel(ctx), s, cdpio.Close, cdpio.CloseParams{Handle: res.Resource.Stream}) // the browser closes it with the page at the latest
	}()
	var text []byte
	for {
		part, err := cdp.Call(ctx, s, cdpio.Read, cdpio.ReadParams{Handle: res.Resource.Stream, Size: 1 << 20})
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", address, err)
		}
		text = append(text, part.Data...)
		if len(text) > limit {
			return nil, fault.New(codes.Failed, fmt.Sprintf("load %s: it is larger than %d MB", address, limit>>20))
		}
		if part.EOF {
			return text, nil
		}
	}
}
