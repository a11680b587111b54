package definition

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/callsheet/callsheet/gen/spec"
)

// Condition is a boolean expression of github.com/expr-lang/expr over what a step can see.
type Condition struct {
	Text    spec.Text
	program *vm.Program
}

// maxNodes bounds an expression, and with it what working it out costs.
const maxNodes = 500

// The names that are put into expressions: what asks whether there is time left, and whom. Nobody can write them.
const (
	deadlineFunc    = "time left"
	deadlineContext = "time of the run"
)

// deadlinePatch is a patch by which every turn of a loop (all, filter, count and their like) first asks for the time: loops can
// stand in loops, over lists that a page has made.
type deadlinePatch struct{}

// Visit patches a loop's body.
func (deadlinePatch) Visit(node *ast.Node) {
	if body, ok := (*node).(*ast.PredicateNode); ok {
		ask := &ast.CallNode{Callee: &ast.IdentifierNode{Value: deadlineFunc}, Arguments: []ast.Node{&ast.IdentifierNode{Value: deadlineContext}}}
		body.Node = &ast.SequenceNode{Nodes: []ast.Node{ask, body.Node}}
	}
}

func checkDeadline(args ...any) (any, error) {
	ctx, ok := args[0].(context.Context)
	if !ok {
		return true, nil
	}
	return true, ctx.Err()
}

// compile checks the expression against the types of its names. The error is a *file.Error.
func (c *Condition) compile(env types.Map) error {
	env[deadlineContext] = types.Any
	program, err := expr.Compile(c.Text.Value, expr.Env(env), expr.AsBool(), expr.MaxNodes(maxNodes), expr.Patch(deadlinePatch{}),
		expr.Function(deadlineFunc, checkDeadline, new(func(any) bool)),
		expr.Function("defined", func(args ...any) (any, error) { return args[0] != nil, nil }, new(func(any) bool)))
	if err != nil {
		return err
	}
	c.program = program
	return nil
}

// Holds works the condition out, as long as ctx lasts.
func (c *Condition) Holds(ctx context.Context, env map[string]any) (bool, error) {
	env[deadlineContext] = ctx
	out, err := expr.Run(c.program, env)
	if err != nil {
		return false, fmt.Errorf("if %s: %w", c.Text.Value, err)
	}
	holds, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("if %s: %v is neither true nor false", c.Text.Value, out)
	}
	return holds, nil
}

// expressionError is what an expression's error says, and at which byte of it.
func expressionError(text string, err error) (at int, problem string) {
	var e *file.Error
	if !errors.As(err, &e) {
		problem, _, _ = strings.Cut(err.Error(), "\n")
		return 0, problem
	}
	runes := []rune(text)
	return len(string(runes[:min(max(e.From, 0), len(runes))])), e.Message
}
