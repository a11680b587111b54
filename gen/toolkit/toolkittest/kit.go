package toolkittest

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/code"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

// The revisions of the protocol that tests connect with: the last one with sessions, in which lists follow the facts, and
// the one without.
const (
	WithSessions = "2025-11-25"
	Stateless    = "2026-07-28"
)

// Revisions lists both, for tests that hold in each.
func Revisions() []string { return []string{WithSessions, Stateless} }

// Kit is a client of a server of the test. Its methods fail the test that they are given for whatever goes wrong; those of
// the embedded session return errors.
type Kit struct {
	*mcp.ClientSession

	registry *toolkit.Registry
	revision string
	listed   *listReader
	codes    *code.Table   // of refusals; nil where none is given
	changed  chan struct{} // has a value for a notification that no AwaitListChange has returned for

	mu      sync.Mutex
	session *toolkit.Session // of the server; nil when another process or Dial has it
}

// New serves a registry in memory, through the official SDK, to a client with a session of its own. The client and the
// server end with the test. Beside what the methods check, the test fails when
//   - structured content is not what the tool declares ([Outputs]), of calls that handlers make too, or
//   - facts change as the manifest does not declare ([toolkit.CheckChanges]).
func New(t testing.TB, reg *toolkit.Registry, opts ...Option) *Kit {
	t.Helper()
	c := configOf(t, reg, opts)
	k := &Kit{}
	layers := append(slices.Clip(c.layers), toolkit.CheckChanges(func(err error) { t.Error(err) }),
		NewOutputs(c.registry).Middleware(func(err error) { t.Error(err) }))
	surface, err := toolkit.NewSurface(c.registry, c.filters, layers...)
	if err != nil {
		t.Fatalf("make the surface: %v", err)
	}
	server := mcpserver.New(surface, mcpserver.Options{
		Name: "test", Version: "0", Principal: c.principal,
		SessionStarted: func(v *toolkit.Session) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.session = v
			v.Replace(c.facts)
		},
	})
	transport := mcp.Transport(nil)
	if c.overHTTP {
		transport = served(t, server)
	} else {
		transport = Lines(t, server)
	}
	k.connect(t, transport, c)
	k.Listed(t) // a stateless session begins with its first request
	return k
}

// Dial connects to a server that is reached in another way, such as [HTTP]. The registry is the server's: the kit holds
// results against it, and where it is nil, against nothing. The options of the server, which are its facts, scope, area, filters, layers and principal, have no
// effect.
func Dial(t testing.TB, transport mcp.Transport, reg *toolkit.Registry, opts ...Option) *Kit {
	t.Helper()
	k := &Kit{}
	k.connect(t, transport, configOf(t, reg, opts))
	return k
}

// connect connects the client, until the test ends.
func (k *Kit) connect(t testing.TB, transport mcp.Transport, c *config) {
	t.Helper()
	k.registry, k.revision, k.codes, k.changed = c.registry, c.revision, c.codes, make(chan struct{}, 1)
	if lines, ok := transport.(*mcp.IOTransport); ok {
		k.listed = &listReader{ReadCloser: lines.Reader}
		lines.Reader = k.listed
	}
	options := c.client
	options.ToolListChangedHandler = func(ctx context.Context, req *mcp.ToolListChangedRequest) {
		if c.client.ToolListChangedHandler != nil {
			c.client.ToolListChangedHandler(ctx, req)
		}
		select {
		case k.changed <- struct{}{}:
		default:
		}
	}
	client := NewOutputs(c.registry).Watch(mcp.NewClient(&mcp.Implementation{Name: "toolkittest", Version: "0"}, &options), func(err error) { t.Error(err) })
	if c.handle != nil {
		client.AddSendingMiddleware(c.handle.middleware)
	}
	for _, uri := range c.roots {
		client.AddRoots(&mcp.Root{URI: uri, Name: uri[strings.LastIndexByte(uri, '/')+1:]})
	}
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: c.revision})
	if err != nil {
		t.Fatalf("connect the client: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != c.revision {
		t.Fatalf("the client speaks revision %s of the protocol, not %s", got, c.revision)
	}
	k.ClientSession = session
}

// Lines serves one client in memory, and ends the server with the test.
func Lines(t testing.TB, server *mcpserver.Server) mcp.Transport {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.ServeStdio(context.Background(), fromClient, toClient) // the client saw what went wrong
	}()
	t.Cleanup(func() {
		_ = toServer.Close()
		_ = fromServer.Close() // a notification may be on its way
		<-done
		if err := server.Close(context.Background()); err != nil {
			t.Errorf("close the server: %v", err)
		}
	})
	return &mcp.IOTransport{Reader: fromServer, Writer: toServer}
}

// Facts lists the facts of the client's session, in the order of the manifest.
func (k *Kit) Facts(t testing.TB) []string {
	t.Helper()
	names := []string{}
	for i, name := range k.registry.Facts {
		if k.sessionOf(t).Facts().Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// SetFacts makes these the facts of the client's session, and no others. That is no change that a call could explain: the
// session is as if it had come to this state in another way.
func (k *Kit) SetFacts(t testing.TB, names ...string) {
	t.Helper()
	v := k.sessionOf(t)
	v.SwitchSubject()
	v.Replace(factsOf(t, k.registry, names))
}

func (k *Kit) sessionOf(t testing.TB) *toolkit.Session {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.session == nil {
		t.Fatal("the kit has no facts: it was made by Dial, and only New has the server's session")
	}
	return k.session
}

// factsOf is the set of facts with these names.
func factsOf(t testing.TB, reg *toolkit.Registry, names []string) (out toolkit.Facts) {
	t.Helper()
	for _, name := range names {
		i := slices.Index(reg.Facts, name)
		if i < 0 {
			t.Fatalf("no fact is called %q%s", name, known(name, reg.Facts))
		}
		out |= 1 << i
	}
	return out
}

// known suggests the nearest of the names that there are, or lists them.
func known(name string, names []string) string {
	return "; did you mean " + cmp.Or(toolkit.Nearest(name, names), "one of "+strings.Join(names, ", ")) + "?"
}
