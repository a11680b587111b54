package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// readPost reads the body of a POST. It answers with a JSON-RPC error, and reports false, for a body
// that is no message: the SDK answers in plain text. The body of r is then one that the SDK can hold.
func (e *endpoint) readPost(w http.ResponseWriter, r *http.Request) (m clientMessage, ok bool) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, e.maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, jsonrpc.CodeInvalidRequest, "the request's body is too large")
		return m, false
	case err != nil:
		return m, false // the client went away
	case !json.Valid(text):
		refuse(w, http.StatusBadRequest, jsonrpc.CodeParseError, "the body is not one JSON value")
		return m, false
	}
	if bytes.TrimSpace(text)[0] == '[' && r.Header.Get(versionHeader) <= batchVersion && r.Header.Get(sessionHeader) != "" {
		m.text = text // a batch of the one revision that has them
	} else {
		var id json.RawMessage
		var failure *jsonrpc.Error
		if m, id, failure = e.ids.read(text); failure != nil {
			refuseRequest(w, http.StatusBadRequest, id, failure)
			return m, false
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(m.text)), int64(len(m.text))
	return m, true
}

// batchVersion is the last revision with batches; a session without a version header has it.
const batchVersion = "2025-03-26"

// callIDs are the calls of sessions that are not answered.
type callIDs struct {
	mu  sync.Mutex
	ids map[string]bool
}

// add reports false for a call with the id of another one in its session.
func (c *callIDs) add(session string, id json.RawMessage) (key string, ok bool) {
	key = session + " " + string(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids[key] {
		return key, false
	}
	if c.ids == nil {
		c.ids = make(map[string]bool)
	}
	c.ids[key] = true
	return key, true
}

func (c *callIDs) remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ids, key)
}

// refuseRequest answers a request with a JSON-RPC error.
func refuseRequest(w http.ResponseWriter, status int, id json.RawMessage, failure *jsonrpc.Error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(rejection(id, int(failure.Code), failure.Message))
	if err != nil {
		text = nil // the status says it too
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// errorWriter turns the plain-text refusals of the SDK into JSON-RPC errors with the id of their
// request. An unknown method is no failure of the transport, so its status is 200.
type errorWriter struct {
	http.ResponseWriter
	id       json.RawMessage // nil for notifications and for methods without a body
	isCall   bool
	refusing bool
	status   int
}

// Unwrap is for http.ResponseController.
func (w *errorWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader holds back the status of a plain-text refusal until its text comes.
func (w *errorWriter) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.refusing, w.status = true, status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes p, or the error that p describes.
func (w *errorWriter) Write(p []byte) (int, error) {
	if !w.refusing {
		return w.ResponseWriter.Write(p)
	}
	w.refusing = false
	w.Header().Del("X-Content-Type-Options")
	w.Header().Del("Content-Length")
	failure := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(string(p))}
	if w.isCall && strings.HasPrefix(failure.Message, notHandled) {
		w.status, failure.Code, failure.Message = http.StatusOK, jsonrpc.CodeMethodNotFound, "method not found"
	}
	refuseRequest(w.ResponseWriter, w.status, w.id, failure)
	return len(p), nil
}

// notHandled begins the SDK's refusal of an unknown method.
const notHandled = "JSON RPC not handled"

// uncoded and invalid are the beginnings of errors in a response: the SDK sends 0 for requests that
// come at the wrong time. In the texts of a message the quotes are escaped.
var (
	uncoded = []byte(`"error":{"code":0,`)
	invalid = []byte(`"error":{"code":-32600,`)
)
