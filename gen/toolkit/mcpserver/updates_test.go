package mcpserver_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

// TestUpdatesReachEveryEra updates the registry while a client of each era is connected. Each is notified
// once, and the list that it fetches then is the new one.
func TestUpdatesReachEveryEra(t *testing.T) {
	for _, version := range toolkittest.Revisions() {
		t.Run(version, func(t *testing.T) {
			reg, err := newBench().registry(0).With(toolkit.Capability{Name: "core"}, "default", []toolkit.Tool{extra("first")})
			if err != nil {
				t.Fatal(err)
			}
			surface, err := toolkit.NewSurface(reg, toolkit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			acknowledged := make(chan bool, 1)
			server := mcpserver.New(surface, mcpserver.Options{Name: "sample", Version: "1", Updates: true})
			h := httptest.NewServer(noticeAcknowledgement(server.HTTPHandler(mcpserver.HTTPOptions{}), acknowledged))
			t.Cleanup(func() {
				h.CloseClientConnections()
				h.Close()
			})
			changed := make(chan bool, 8)
			cs := toolkittest.Dial(t, toolkittest.HTTP(h.URL, ""), nil, toolkittest.Revision(version), toolkittest.Client(mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- true },
			}))
			if !cs.InitializeResult().Capabilities.Tools.ListChanged {
				t.Error("changes of the list are not declared")
			}
			if names := cs.Listed(t); !slices.Contains(names, "first") {
				t.Errorf("listed %v", names)
			}
			if version == toolkittest.Stateless {
				receive(t, acknowledged)
			}
			next, err := surface.Registry().Replace("late", []toolkit.Tool{extra("second")})
			if err != nil {
				t.Fatal(err)
			}
			if err := surface.Update(next); err != nil {
				t.Fatal(err)
			}
			receive(t, changed)
			if names := cs.Listed(t); slices.Contains(names, "first") || !slices.Contains(names, "second") {
				t.Errorf("listed after the change: %v", names)
			}
			if len(changed) > 0 {
				t.Error("the client was notified twice")
			}
		})
	}
}

// extra is a tool of an area that is made at start-up.
func extra(name string) toolkit.Tool {
	return toolkit.Tool{Name: name, Area: "late", Tier: 1, Definition: `{"name":"` + name + `","inputSchema":{"type":"object"}}`}
}

// noticeAcknowledgement reports that the server has acknowledged a subscription.
func noticeAcknowledgement(next http.Handler, acknowledged chan<- bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(acknowledgementWriter{w, acknowledged}, r)
	})
}

type acknowledgementWriter struct {
	http.ResponseWriter
	acknowledged chan<- bool
}

func (w acknowledgementWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w acknowledgementWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("notifications/subscriptions/acknowledged")) {
		w.acknowledged <- true
	}
	return w.ResponseWriter.Write(p)
}
