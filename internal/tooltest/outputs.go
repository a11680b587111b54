package tooltest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/outputtest"
	"github.com/callsheet/callsheet/generated/registry"
)

// checkNestedOutputs is CheckOutputs for all calls of a server, those that handlers make too.
func checkNestedOutputs(t *testing.T) toolkit.Middleware {
	rows, checker := registry.New(registry.Handlers{}), outputtest.New()
	layer := checker.Middleware(func(err error) { t.Error(err) })
	return func(next toolkit.CallHandler) toolkit.CallHandler {
		checked := layer(next)
		return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
			if _, known := rows.Lookup(req.Tool); known {
				return checked(ctx, v, req)
			}
			return next(ctx, v, req)
		}
	}
}

// CheckOutputs fails the test for each successful result of a client whose structured content is not what the tool
// declares: the schema is not met, or structure is missing or undeclared. Tools that are made at start-up are not checked.
// It returns the client.
func CheckOutputs(t testing.TB, client *mcp.Client) *mcp.Client {
	rows, checker := registry.New(registry.Handlers{}), outputtest.New()
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			params, isCall := req.GetParams().(*mcp.CallToolParams)
			got, ok := res.(*mcp.CallToolResult)
			if err != nil || !isCall || !ok || got.IsError {
				return res, err
			}
			i, known := rows.Lookup(params.Name)
			if !known {
				return res, nil
			}
			var structured []byte
			if got.StructuredContent != nil {
				structured, _ = json.Marshal(got.StructuredContent) // it came as JSON
			}
			if err := checker.Check(&rows.Tools[i], structured); err != nil {
				t.Error(err)
			}
			return res, nil
		}
	})
	return client
}
