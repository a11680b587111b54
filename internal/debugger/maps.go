package debugger

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/debugger/sourcemap"
)

// mapLimit is the largest source map that is read, in bytes.
const mapLimit = 32 << 20

// sourceMap returns the script's source map, or nil if it has none that can be used. One
// that failed is not tried again, except when only the time was short.
func (d *Debugger) sourceMap(ctx context.Context, r *run, n *script) *sourcemap.Map {
	if n.mapURL == "" {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.mapped {
		return n.source
	}
	text, base, err := d.loadMap(ctx, r, n)
	if err == nil {
		n.source, _ = sourcemap.Parse(text, base) // without a usable map the script is what there is
	}
	n.mapped = ctx.Err() == nil
	return n.source
}

// loadMap gets a map's text and the address that it counts from. Only what the page
// itself could have loaded is: data in the script, its own origin, and this machine.
func (d *Debugger) loadMap(ctx context.Context, r *run, n *script) (text []byte, base string, err error) {
	frame, page := r.scripts.home()
	if n.frame != "" {
		frame = n.frame
	}
	if n.url != "" {
		page = n.url
	}
	if rest, ok := strings.CutPrefix(n.mapURL, "data:"); ok {
		text, err = inline(rest)
		return text, page, err
	}
	from, err := url.Parse(page)
	if err != nil {
		return nil, "", fmt.Errorf("read the address of a script: %w", err)
	}
	to, err := from.Parse(n.mapURL)
	if err != nil {
		return nil, "", fmt.Errorf("read the address of a source map: %w", err)
	}
	if to.Scheme != "http" && to.Scheme != "https" || to.Host != from.Host && !isLoopback(to.Hostname()) {
		return nil, "", fmt.Errorf("load the source map %s: it is on another site", to)
	}
	text, err = d.fetch(ctx, frame, to.String())
	return text, to.String(), err
}

func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func inline(data string) ([]byte, error) {
	kind, body, ok := strings.Cut(data, ",")
	switch {
	case !ok || len(body) > mapLimit:
		return nil, errors.New("read an inline source map: it is malformed or too large")
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

// fetch has the browser load a resource as the frame would; its process that renders the
// page is not needed, so this works during a pause.
func (d *Debugger) fetch(ctx context.Context, frame cdp.FrameID, address string) ([]byte, error) {
	res, err := cdp.Call(ctx, d.session, network.LoadNetworkResource, network.LoadNetworkResourceParams{
		FrameID: frame, URL: address, Options: &network.LoadNetworkResourceOptions{IncludeCredentials: true},
	})
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", address, err)
	}
	if res.Resource == nil || !res.Resource.Success || res.Resource.Stream == "" {
		return nil, fmt.Errorf("load %s: the browser could not", address)
	}
	defer func() {
		_ = call(context.WithoutCancel(ctx), d.session, cdpio.Close, cdpio.CloseParams{Handle: res.Resource.Stream})
	}()
	var text []byte
	for {
		part, err := cdp.Call(ctx, d.session, cdpio.Read, cdpio.ReadParams{Handle: res.Resource.Stream, Size: 1 << 20})
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", address, err)
		}
		text = append(text, part.Data...)
		if len(text) > mapLimit {
			return nil, fmt.Errorf("load %s: it is larger than %d MB", address, mapLimit>>20)
		}
		if part.EOF {
			return text, nil
		}
	}
}

// frameOf reads the frame from what Blink tells about an execution context.
func frameOf(aux []byte) cdp.FrameID {
	var data struct {
		FrameID cdp.FrameID `json:"frameId"`
	}
	_ = json.Unmarshal(aux, &data) // without a frame the main one is assumed
	return data.FrameID
}
