package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages bounds a list: a server that always names another page never ends it.
const maxPages = 1000

// recorder keeps the results of requests as the texts that passed by. The client of the SDK decodes
// them into structs, which loses the order of members and those that it does not know.
type recorder struct {
	mu      sync.Mutex
	methods map[string]string          // by ID of the request
	results map[string]json.RawMessage // by method: the last one
	refusal string                     // the last HTTP answer with an error status
}

func newRecorder() *recorder {
	return &recorder{methods: map[string]string{}, results: map[string]json.RawMessage{}}
}

// sent notes a message to the server; received one from the server. Both take a batch too.
func (r *recorder) sent(text []byte) { r.note(text) }

func (r *recorder) received(text []byte) { r.note(text) }

func (r *recorder) note(text []byte) {
	text = bytes.TrimSpace(text)
	if len(text) > 0 && text[0] == '[' {
		var batch []json.RawMessage
		_ = json.Unmarshal(text, &batch) // the SDK reports what is no JSON
		for _, m := range batch {
			r.note(m)
		}
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(text, &m) != nil || m.ID == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case m.Method != "" && m.Result == nil:
		r.methods[string(m.ID)] = m.Method
	case m.Result != nil:
		r.results[r.methods[string(m.ID)]] = bytes.Clone(m.Result)
	}
}

// refused notes an HTTP answer with an error status; lastRefusal returns it.
func (r *recorder) refused(answer string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refusal = answer
}

func (r *recorder) lastRefusal() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusal
}

// take returns the last result of a method, once; nil where there is none.
func (r *recorder) take(method string) json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.results[method]
	delete(r.results, method)
	return out
}

// readSession connects, and reads the lists that the server announces.
func readSession(ctx context.Context, transport mcp.Transport, record *recorder, opts Options) (*Server, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: cmp.Or(opts.Name, "toolgen"), Version: cmp.Or(opts.Version, "0")}, nil)
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = session.Close() }() // everything is read, or the error is already known
	s := &Server{}
	if raw := cmp.Or(string(record.take("initialize")), string(record.take("server/discover"))); raw != "" {
		if err := describe(s, json.RawMessage(raw)); err != nil {
			return nil, err
		}
	}
	if err := complete(s, session.InitializeResult()); err != nil {
		return nil, err
	}
	var announced map[string]json.RawMessage
	if err := json.Unmarshal(s.Capabilities, &announced); err != nil {
		return nil, fmt.Errorf("read the capabilities: %w", err)
	}
	for _, l := range listsOf(s) {
		*l.items = []Item{}
		if _, ok := announced[l.capability]; !ok {
			continue
		}
		if err := l.read(ctx, session, record); err != nil {
			return nil, fmt.Errorf("%s: %w", l.method, err)
		}
	}
	return s, nil
}

// complete fills in what an answer to server/discover has elsewhere than one to initialize.
func complete(s *Server, result *mcp.InitializeResult) error {
	s.ProtocolVersion = result.ProtocolVersion
	var err error
	if s.Info == nil && result.ServerInfo != nil {
		if s.Info, err = json.Marshal(result.ServerInfo); err != nil {
			return fmt.Errorf("read the server's name: %w", err)
		}
	}
	if s.Capabilities == nil {
		if s.Capabilities, err = json.Marshal(cmp.Or(result.Capabilities, &mcp.ServerCapabilities{})); err != nil {
			return fmt.Errorf("read the capabilities: %w", err)
		}
	}
	return nil
}

// read reads every page of a list.
func (l list) read(ctx context.Context, session *mcp.ClientSession, record *recorder) error {
	var cursors []string
	for cursor := ""; ; {
		err := l.request(ctx, session, cursor)
		raw := record.take(l.method)
		if raw == nil {
			var refused *jsonrpc.Error
			if l.method == "resources/templates/list" && errors.As(err, &refused) && refused.Code == jsonrpc.CodeMethodNotFound {
				return nil // the capability covers both lists, and a server may have one of them
			}
			return cmp.Or(err, errors.New("the answer has no result"))
		}
		var page map[string]json.RawMessage
		if err := json.Unmarshal(raw, &page); err != nil {
			return fmt.Errorf("the result is no object: %.120s", raw)
		}
		if err := l.add(page[l.member]); err != nil {
			return err
		}
		var next string
		if page["nextCursor"] == nil || json.Unmarshal(page["nextCursor"], &next) != nil || next == "" {
			return nil
		}
		if slices.Contains(cursors, next) || len(cursors) == maxPages {
			return fmt.Errorf("the pages do not end: after %d of them the cursor is %q", len(cursors)+1, next)
		}
		cursors = append(cursors, next)
		cursor = next
	}
}

// request asks for a page. The recorder has its result.
func (l list) request(ctx context.Context, session *mcp.ClientSession, cursor string) error {
	var err error
	switch l.method {
	case "tools/list":
		_, err = session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
	case "prompts/list":
		_, err = session.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
	case "resources/list":
		_, err = session.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
	default:
		_, err = session.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
	}
	return err
}
