package mcpserver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Names of notifications.
const (
	toolsChanged     = "notifications/tools/list_changed"
	promptsChanged   = "notifications/prompts/list_changed"
	resourcesChanged = "notifications/resources/list_changed"
)

// acceptSubscription lets a client with a session subscribe to a resource that it can read.
func (s *Server) acceptSubscription(ctx context.Context, req *mcp.SubscribeRequest) error {
	v, err := s.scopeOf(ctx, req.Session, req.Params.Meta)
	if err != nil {
		return err
	}
	defer v.done()
	if err := v.session.CanSubscribe(req.Params.URI); err != nil {
		return protocolError(err)
	}
	return nil
}

// narrow removes from a stateless subscription the notifications that the server never sends.
func (s *Server) narrow(ctx context.Context, req *mcp.SubscriptionsListenRequest) error {
	wanted := req.Params.Notifications
	if wanted == nil {
		return nil // the SDK reports it
	}
	if !s.opt.Updates {
		wanted.ToolsListChanged, wanted.PromptsListChanged, wanted.ResourcesListChanged = false, false, false
	}
	if len(wanted.ResourceSubscriptions) == 0 || !s.surface.Subscribable() {
		return nil
	}
	v, err := s.scopeOf(ctx, req.Session, req.Params.Meta)
	if err != nil {
		return err
	}
	defer v.done()
	wanted.ResourceSubscriptions = slices.DeleteFunc(slices.Clone(wanted.ResourceSubscriptions),
		func(uri string) bool { return v.session.CanSubscribe(uri) != nil })
	return nil
}

// resourceUpdated notifies the clients that have subscribed to a resource. It does not wait for them.
func (s *Server) resourceUpdated(uri string) {
	go func() {
		_ = s.sdk.ResourceUpdated(s.closing, &mcp.ResourceUpdatedNotificationParams{URI: uri}) // a client that has gone misses nothing
	}()
}

// listsUpdated notifies stateless clients, which have subscribed to that, of changed definitions. The
// SDK knows the subscriptions and notifies them when a feature is added to it. It has no features of its own:
// lists are answered before they reach it.
func (s *Server) listsUpdated() {
	if !s.opt.Updates {
		return
	}
	const name = "list_changed"
	if s.declared.Tools != nil {
		s.sdk.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	}
	if s.declared.Prompts != nil {
		s.sdk.AddPrompt(&mcp.Prompt{Name: name}, nil)
	}
	if s.surface.Resources() {
		s.sdk.AddResource(&mcp.Resource{Name: name, URI: "list:changed"}, nil)
	}
}

// ownLists keeps the SDK's notifications of changed lists from clients with sessions, whose notifiers
// know what each of them has. A notification of a subscription names it.
func ownLists(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case toolsChanged, promptsChanged, resourcesChanged:
			if _, subscribed := req.GetParams().GetMeta()[mcp.MetaKeySubscriptionID]; !subscribed {
				return nil, nil
			}
		}
		return next(ctx, method, req)
	}
}
