package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/upstream"
	"github.com/callsheet/callsheet/gen/upstream/httpclient"
	"github.com/callsheet/callsheet/gen/upstream/mcpclient"
)

// Interface is an upstream that is an HTTP interface. Sessions share it: what one client does there is not
// kept in a connection.
type Interface struct {
	client     *httpclient.Client
	operations map[string]*operation // by the upstream's name of the tool
}

// operation is an operation with the schema of its results.
type operation struct {
	httpclient.Operation
	schema  json.RawMessage
	compile sync.Once
	results *jsonschema.Schema // nil: results are not checked
}

// NewInterface makes the upstream of a record whose tools are operations.
func NewInterface(recorded upstream.List, opt httpclient.Options) (*Interface, error) {
	out := &Interface{client: httpclient.New(opt), operations: map[string]*operation{}}
	for _, t := range recorded.Tools {
		op := &operation{schema: t.OutputSchema}
		if err := json.Unmarshal(t.Operation, &op.Operation); err != nil {
			return nil, fmt.Errorf("the record of tool %q does not say how it is called: %w", t.Name, err)
		}
		out.operations[t.Name] = op
	}
	return out, nil
}

// Call implements Upstream.
func (i *Interface) Call(ctx context.Context, _ *toolkit.Session, tool string, args json.RawMessage, _ mcpclient.Progress) (json.RawMessage, error) {
	op := i.operations[tool]
	if op == nil {
		return nil, fmt.Errorf("the record has no operation %q", tool)
	}
	raw, err := i.client.Call(ctx, &op.Operation, args)
	var argument *httpclient.ArgumentError
	if errors.As(err, &argument) {
		return nil, toolkit.Violations{{Path: "/" + argument.Argument, Problem: argument.Problem}}
	}
	if err != nil {
		return nil, err
	}
	return op.check(raw), nil
}

// check holds a result against the schema that lists have of it: clients refuse one that does not fit, without
// showing what came.
func (o *operation) check(raw json.RawMessage) json.RawMessage {
	o.compile.Do(func() {
		if o.schema != nil {
			o.results, _ = compile(o.schema) // a schema that no compiler reads refuses no result
		}
	})
	var result struct {
		Content    []struct{ Text string }
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool
	}
	if o.results == nil || json.Unmarshal(raw, &result) != nil || result.IsError {
		return raw
	}
	var value any
	err := errors.New("it is no JSON")
	if result.Structured != nil {
		if err = unmarshalArgs(result.Structured, &value); err == nil {
			err = o.results.Validate(value)
		}
	}
	if err == nil {
		return raw
	}
	text := "the answer is not what the document describes"
	if broken, ok := errors.AsType[toolkit.Violations](violations(err, nil)); ok && len(broken) > 0 {
		last := broken[len(broken)-1] // the innermost
		text += fmt.Sprintf(": %s %s", last.Path, last.Problem)
	}
	for _, c := range result.Content {
		text += "\n" + c.Text
	}
	return httpclient.Text(text, true)
}

// SessionEnded does nothing: sessions have nothing of their own here.
func (i *Interface) SessionEnded(string) {}

// Close ends idle connections.
func (i *Interface) Close() { i.client.Close() }
