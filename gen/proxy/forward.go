package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/remote"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/rawclient"
)

// Upstream is a server that calls are passed to, as one session sees it. Its results are sent on as they
// are.
type Upstream interface {
	Call(ctx context.Context, session *toolkit.Session, tool string, args json.RawMessage, progress rawclient.Progress) (json.RawMessage, error)
}

// runner is the functions of a row of the registry: the call, and the check of its arguments.
type runner struct {
	invoke func(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error)
	check  func(args []byte) error
}

// forwarder makes the runner of a forwarded tool: arguments that the schema takes are passed on, and
// what comes back is sent as it is.
func forwarder(t *model.Tool, to Upstream) (runner, error) {
	accepts, err := compile(schema.Contract(t))
	if err != nil {
		return runner{}, fmt.Errorf("the schema of tool %q: %w", t.Forward.Name, err)
	}
	check := func(args []byte) error {
		var value any
		if err := unmarshalArgs(args, &value); err != nil {
			return err
		}
		return violations(accepts.Validate(value), requirements(t.Requirements, value))
	}
	return runner{check: check, invoke: func(ctx context.Context, call *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
		if err := check(args); err != nil {
			return toolkit.CallResult{}, err
		}
		raw, err := to.Call(ctx, call.Session, t.Forward.Name, args, call.Progress)
		if err != nil {
			return toolkit.CallResult{}, refusal(ctx, err)
		}
		var result struct {
			IsError bool `json:"isError"`
		}
		if json.Unmarshal(raw, &result) != nil || !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
			return toolkit.CallResult{}, toolkit.Refuse(toolkit.Failed, "the upstream answered with something that is no result")
		}
		return toolkit.CallResult{Raw: raw, Refused: result.IsError}, nil
	}}, nil
}

// refusal turns an error of the upstream into what the client gets: errors of the protocol are
// passed on, and an upstream that is gone is named with what it wrote last.
func refusal(ctx context.Context, err error) error {
	var rpc *jsonrpc.Error
	var ended *remote.EndedError
	var stopped *stoppedError
	var broken toolkit.Violations
	var stale *staleError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &broken):
		return broken
	case errors.As(err, &rpc):
		out := &toolkit.ProtocolError{Code: int(rpc.Code), Message: rpc.Message}
		if rpc.Data != nil {
			out.Data = rpc.Data
		}
		return out
	case errors.As(err, &ended), errors.As(err, &stopped), errors.As(err, &stale):
		return toolkit.Refuse(toolkit.Failed, err.Error())
	}
	return toolkit.Refuse(toolkit.Failed, "the upstream did not answer: "+err.Error())
}

func unmarshalArgs(args []byte, value *any) error {
	if len(bytes.TrimSpace(args)) == 0 {
		*value = map[string]any{}
		return nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return toolkit.Violations{{Problem: "not JSON: " + err.Error()}}
	}
	*value = v
	return nil
}

// compile reads a schema as its $schema says, or as the present revision of JSON Schema.
func compile(text []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // a reference into the network is an error, not a request
	if err := c.AddResource("upstream:///schema", doc); err != nil {
		return nil, err
	}
	return c.Compile("upstream:///schema")
}

// violations lists what is wrong with arguments; nil when nothing is.
func violations(err error, more toolkit.Violations) error {
	var out toolkit.Violations
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		for _, unit := range invalid.BasicOutput().Errors {
			if unit.Error != nil {
				out = append(out, toolkit.Violation{Path: unit.InstanceLocation, Problem: unit.Error.String()})
			}
		}
	} else if err != nil {
		return err
	}
	if out = append(out, more...); len(out) == 0 {
		return nil
	}
	return out
}

// requirements holds arguments against the conditional requirements of the entry.
func requirements(demands []*model.Requirement, value any) toolkit.Violations {
	args, _ := value.(map[string]any)
	var out toolkit.Violations
	for _, d := range demands {
		if d.When != nil {
			text, given := args[d.When.Name].(string)
			if !given && d.When.Default != nil {
				text = d.When.Default.String
			}
			if !slices.Contains(d.Values, text) {
				continue
			}
		}
		var names, missing []string
		for _, p := range d.Names {
			names = append(names, p.Name)
			if _, given := args[p.Name]; !given {
				missing = append(missing, p.Name)
			}
		}
		given := len(names) - len(missing)
		switch {
		case d.Mode == model.All && given < len(names):
			out = append(out, toolkit.Violation{Problem: "missing: " + strings.Join(missing, ", ")})
		case d.Mode == model.Any && given == 0:
			out = append(out, toolkit.Violation{Problem: "at least one is needed of " + strings.Join(names, ", ")})
		case d.Mode == model.One && given != 1:
			out = append(out, toolkit.Violation{Problem: "exactly one is needed of " + strings.Join(names, ", ")})
		case d.Mode == model.None && given > 0:
			out = append(out, toolkit.Violation{Problem: strings.Join(names, ", ") + " is only for " + d.When.Name + " " + strings.Join(d.Rest(), " or ")})
		}
	}
	return out
}
