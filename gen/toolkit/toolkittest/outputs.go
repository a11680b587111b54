package toolkittest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Outputs holds results against the outputs that the tools of a registry declare, with a validator that did not come out of
// the compiler. Calls of other tools, such as those made at start-up, are not checked. It compiles each schema once, and may
// be used by several goroutines. [New] and [Dial] check all results; it is for servers and clients that tests make
// themselves.
type Outputs struct {
	registry *toolkit.Registry

	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema // by the text of the schema
}

// NewOutputs makes Outputs of a registry.
func NewOutputs(reg *toolkit.Registry) *Outputs {
	return &Outputs{registry: reg, compiled: map[string]*jsonschema.Schema{}}
}

// Check returns how the structured content of a successful call differs from what the tool declares: it is there without
// a declaration, it is missing, or it breaks the schema. structured is JSON, empty for none.
func (o *Outputs) Check(tool string, structured []byte) error {
	i, ok := o.registry.Lookup(tool)
	if !ok {
		return nil
	}
	t := &o.registry.Tools[i]
	switch {
	case t.OutputSchema == "" && len(structured) == 0:
		return nil
	case t.OutputSchema == "":
		return fmt.Errorf("%s declares no output and returns structured content: %s", t.Name, structured)
	case len(structured) == 0:
		return fmt.Errorf("%s declares an output and returns no structured content", t.Name)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(structured))
	if err != nil {
		return fmt.Errorf("%s returns structured content that is no JSON: %w: %s", t.Name, err, structured)
	}
	schema, err := o.schema(t.OutputSchema)
	if err != nil {
		return fmt.Errorf("compile the output schema of %s: %w", t.Name, err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s returns what its output does not declare: %w in %s", t.Name, err, structured)
	}
	return nil
}

// Middleware checks every successful call of a surface, and those that handlers make too, and gives what is wrong to fail,
// which several goroutines may call.
func (o *Outputs) Middleware(fail func(error)) toolkit.Middleware {
	return func(next toolkit.CallHandler) toolkit.CallHandler {
		return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
			res, err := next(ctx, v, req)
			if err != nil || res.Refused || res.Ask != nil {
				return res, err
			}
			if err := o.Check(req.Tool, res.Structured); err != nil {
				fail(err)
			}
			return res, nil
		}
	}
}

// Watch checks every successful call that a client makes, and gives what is wrong to fail, which several goroutines may call.
// It returns the client.
func (o *Outputs) Watch(client *mcp.Client, fail func(error)) *mcp.Client {
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			params, isCall := req.GetParams().(*mcp.CallToolParams)
			got, ok := res.(*mcp.CallToolResult)
			if err != nil || !isCall || !ok || got.IsError {
				return res, err
			}
			var structured []byte
			if got.StructuredContent != nil {
				structured, _ = json.Marshal(got.StructuredContent) // it came as JSON
			}
			if err := o.Check(params.Name, structured); err != nil {
				fail(err)
			}
			return res, nil
		}
	})
	return client
}

// schema compiles a schema, unless that is done.
func (o *Outputs) schema(text string) (*jsonschema.Schema, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s := o.compiled[text]; s != nil {
		return s, nil
	}
	const name = "mem:output"
	c, err := newCompiler(name, text)
	if err != nil {
		return nil, err
	}
	s, err := c.Compile(name)
	if err != nil {
		return nil, err
	}
	o.compiled[text] = s
	return s, nil
}
