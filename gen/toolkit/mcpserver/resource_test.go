package mcpserver_test

import (
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

// shelf has, for each session, a text and a picture named after it.
type shelf struct{}

func (shelf) Template() toolkit.Link { return toolkit.Link{URI: "shelf://{id}", Name: "thing"} }

func (shelf) List(session string) ([]toolkit.Link, error) {
	return []toolkit.Link{
		{URI: "shelf://" + session + "/text", Name: "a <b>", MIME: "text/plain", Size: 5},
		{URI: "shelf://" + session + "/picture", Name: "p", MIME: "image/png", Description: "d"},
	}, nil
}

func (shelf) Read(session, uri string) (toolkit.Link, []byte, error) {
	link := toolkit.Link{URI: uri, MIME: "text/plain"}
	switch uri {
	case "shelf://" + session + "/text":
		return link, []byte("<a>\u2028\n"), nil
	case "shelf://" + session + "/picture":
		link.MIME = "image/png"
		return link, []byte{0, 1, 2, 3}, nil
	case "shelf://large":
		return link, nil, toolkit.Refuse(toolkit.BudgetExceeded, "too large; it is at /tmp/x")
	}
	return link, nil, fs.ErrNotExist
}

func TestResourcesOfASession(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{Resources: shelf{}}, 0)
	w := dial(t, s)
	hello := w.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if !strings.Contains(hello, `"resources":{}`) {
		t.Errorf("resources are not declared: %s", hello)
	}
	mine := lineSession(w)
	for _, test := range []struct{ method, params, want string }{
		{"resources/list", `{}`, `"result":{"resources":[{"uri":"shelf://stdio/text","name":"a <b>","mimeType":"text/plain","size":5},` +
			`{"uri":"shelf://stdio/picture","name":"p","description":"d","mimeType":"image/png"}]}}`},
		{"resources/templates/list", `{}`, `"result":{"resourceTemplates":[{"uriTemplate":"shelf://{id}","name":"thing"}]}}`},
		{"resources/read", `{"uri":"shelf://stdio/text"}`,
			`"result":{"contents":[{"uri":"shelf://stdio/text","mimeType":"text/plain","text":"<a>\u2028\n"}]}}`},
		{"resources/read", `{"uri":"shelf://stdio/picture"}`,
			`"result":{"contents":[{"uri":"shelf://stdio/picture","mimeType":"image/png","blob":"AAECAw=="}]}}`},
		{"resources/read", `{"uri":"shelf://another/text"}`,
			`"error":{"code":-32602,"message":"resource not found","data":{"uri":"shelf://another/text"}}}`},
		{"resources/read", `{"uri":"shelf://large"}`, `"error":{"code":-32603,"message":"too large; it is at /tmp/x"}}`},
		{"resources/list", `{"cursor":"x"}`, `"error":{"code":-32602,"message":"no such cursor: the list has one page"}}`},
	} {
		got := w.ask(`{"jsonrpc":"2.0","id":7,"method":"` + test.method + `","params":` + strings.ReplaceAll(test.params, "//stdio", "//"+mine) + `}`)
		got = strings.ReplaceAll(got, mine, "stdio")
		if diff := cmp.Diff(`{"jsonrpc":"2.0","id":7,`+test.want, got); diff != "" {
			t.Errorf("%s %s: %s", test.method, test.params, diff)
		}
	}
	if got := w.ask(`{"jsonrpc":"2.0","id":8,"method":"resources/subscribe","params":{"uri":"shelf://stdio/text"}}`); !strings.Contains(got, "-32601") {
		t.Errorf("a subscription is answered with %s", got)
	}
}

// lineSession returns the ID of the session of a client over lines.
func lineSession(w *wire) string {
	got := w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"session_name",` + modernMeta + `}}`)
	_, rest, _ := strings.Cut(got, `"text":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func TestResourcesOfStatelessClients(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{Resources: shelf{}}, 0)
	w := dial(t, s)
	if got := w.ask(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`); !strings.Contains(got, `"resources":{}`) {
		t.Errorf("resources are not declared: %s", got)
	}
	mine := lineSession(w)
	got := w.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"shelf://` + mine + `/picture",` + modernMeta + `}}`)
	got = strings.ReplaceAll(got, mine, "default")
	want := `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","contents":[{"uri":"shelf://default/picture","mimeType":"image/png",` +
		`"blob":"AAECAw=="}],"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"sample","version":"1.2.3"}}}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	shared, _ := newBench().serve(t, mcpserver.Options{Resources: shelf{}, SessionOf: func(mcpserver.Caller) string { return "all" }}, 0)
	url := listen(t, shared, mcpserver.HTTPOptions{})
	_, called := do(t, http.MethodPost, url, whoami, bare)
	_, mine = principalAndSession(t, called)
	_, bareText := do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"shelf://`+mine+`/text"}}`, bare)
	if !strings.Contains(bareText, `"text":"<a>\u2028\n"`) {
		t.Errorf("a bare read is answered with %s", bareText)
	}
	client := toolkittest.Dial(t, toolkittest.HTTP(url, ""), nil, toolkittest.Revision(toolkittest.Stateless))
	res, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "shelf://" + mine + "/picture"})
	if err != nil || len(res.Contents) != 1 || string(res.Contents[0].Blob) != "\x00\x01\x02\x03" {
		t.Errorf("the SDK's client reads %v, %v", res, err)
	}
}

func TestUndeclaredResourcesDoNotExist(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	for _, method := range []string{"resources/list", "resources/templates/list", "resources/read"} {
		if got := w.ask(`{"jsonrpc":"2.0","id":8,"method":"` + method + `","params":{"uri":"x"}}`); !strings.Contains(got, "-32601") {
			t.Errorf("%s is answered with %s", method, got)
		}
	}
}

func TestLinksTravel(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	got := w.ask(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"link"}}`)
	want := `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"kept"},{"type":"resource_link","uri":"shelf://1","name":"<n>",` +
		`"mimeType":"image/png","size":3}]}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
