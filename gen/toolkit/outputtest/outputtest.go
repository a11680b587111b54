// Package outputtest holds the results of calls against the outputs that their tools declare. Tests of a server use it,
// because it knows a validator of JSON Schema that did not come out of the compiler; a server must not link it.
//
// It must not know what the tools of a server are about.
package outputtest

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Checker holds results against declared outputs. It compiles each schema once. It may be used by several goroutines.
type Checker struct {
	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema // by the text of the schema
}

// New makes a checker.
func New() *Checker { return &Checker{compiled: map[string]*jsonschema.Schema{}} }

// Check returns how the structured content of a successful call differs from what the tool declares: it is there without
// a declaration, it is missing, or it breaks the schema. structured is JSON, empty for none.
func (c *Checker) Check(t *toolkit.Tool, structured []byte) error {
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
	schema, err := c.schema(t.OutputSchema)
	if err != nil {
		return fmt.Errorf("compile the output schema of %s: %w", t.Name, err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s returns what its output does not declare: %w in %s", t.Name, err, structured)
	}
	return nil
}

// Middleware checks every successful call, and those that handlers make too, and gives what is wrong to fail, which several
// goroutines may call.
func (c *Checker) Middleware(fail func(error)) toolkit.Middleware {
	return func(next toolkit.CallHandler) toolkit.CallHandler {
		return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
			res, err := next(ctx, v, req)
			tool := v.Surface().Tool(req.Tool)
			if err != nil || res.Refused || res.Ask != nil || tool == nil {
				return res, err
			}
			if err := c.Check(tool, res.Structured); err != nil {
				fail(err)
			}
			return res, nil
		}
	}
}

// schema compiles a schema, unless that is done.
func (c *Checker) schema(text string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.compiled[text]; s != nil {
		return s, nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		return nil, fmt.Errorf("read it: %w", err)
	}
	const name = "mem:output"
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(name, doc); err != nil {
		return nil, err
	}
	s, err := compiler.Compile(name)
	if err != nil {
		return nil, err
	}
	c.compiled[text] = s
	return s, nil
}
