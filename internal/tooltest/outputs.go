package tooltest

import (
	"cmp"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
	"github.com/callsheet/callsheet/generated/registry"
)

// checkNestedOutputs is CheckOutputs for all calls of a server, those that handlers make too.
func checkNestedOutputs(t *testing.T) toolkit.Middleware {
	return toolkittest.NewOutputs(registry.New(registry.Handlers{})).Middleware(func(err error) { t.Error(err) })
}

// CheckOutputs fails the test for each successful result of a client whose structured content is not what the tool
// declares: the schema is not met, or structure is missing or undeclared. Tools that are made at start-up are not checked.
// It returns the client.
func CheckOutputs(t testing.TB, client *mcp.Client) *mcp.Client {
	return toolkittest.NewOutputs(registry.New(registry.Handlers{})).Watch(client, func(err error) { t.Error(err) })
}

// Dial connects a client of a protocol revision, "" being the newest, to a server that another process or HTTP serves. The
// results of its calls are checked as by CheckOutputs.
func Dial(t testing.TB, transport mcp.Transport, revision string, opts ...toolkittest.Option) *toolkittest.Kit {
	t.Helper()
	opts = append(opts, toolkittest.Revision(cmp.Or(revision, toolkittest.Stateless)))
	return toolkittest.Dial(t, transport, registry.New(registry.Handlers{}), opts...)
}
