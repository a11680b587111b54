package rawclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit/offered"
)

// Initialize begins a session and returns the server's description of itself.
func (c *Client) Initialize(ctx context.Context, name, version string) (offered.Server, error) {
	raw, err := c.Request(ctx, "initialize", map[string]any{
		"protocolVersion": SessionRevision, "capabilities": struct{}{}, "clientInfo": map[string]string{"name": name, "version": version},
	}, nil)
	if err != nil {
		return offered.Server{}, err
	}
	about, err := offered.Describe(raw)
	if err != nil {
		return about, fmt.Errorf("the answer to initialize: %w", err)
	}
	if c.opts.Negotiated != nil {
		c.opts.Negotiated(about.ProtocolVersion)
	}
	return about, c.notify(ctx, "notifications/initialized", struct{}{})
}

// Discover asks the server of itself in the stateless revision, which later requests use too. An error says that the
// server has no such revision; the client can still begin a session.
func (c *Client) Discover(ctx context.Context, name, version string) (offered.Server, error) {
	meta := map[string]any{
		mcp.MetaKeyProtocolVersion: StatelessRevision, mcp.MetaKeyClientCapabilities: struct{}{},
		mcp.MetaKeyClientInfo: map[string]string{"name": name, "version": version},
	}
	raw, err := c.Request(ctx, "server/discover", map[string]any{"_meta": meta}, nil)
	if err != nil {
		return offered.Server{}, err
	}
	about, err := offered.Describe(raw)
	if err != nil {
		return about, fmt.Errorf("the answer to server/discover: %w", err)
	}
	var more struct {
		Meta     map[string]json.RawMessage `json:"_meta"`
		Versions []string                   `json:"supportedVersions"`
	}
	if err := json.Unmarshal(raw, &more); err != nil || !slices.Contains(more.Versions, StatelessRevision) {
		return about, errors.New("the server has no revision without sessions")
	}
	about.ProtocolVersion, c.meta = StatelessRevision, meta
	if about.Info == nil {
		about.Info = more.Meta[mcp.MetaKeyServerInfo]
	}
	return about, nil
}
