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

	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Condition is a boolean expression of github.com/expr-lang/expr over the names of a step.
type Condition struct {
	Text    yamltree.Text
	program *vm.Program
}

// maxNodes bounds the size of an expression, and with it the cost of one evaluation.
const maxNodes = 500

// Names that the compiler adds to expressions: the deadline check and its context. They have a
// space, so no expression can contain them.
const (
	deadlineFunc    = "time left"
	deadlineContext = "time of the run"
)

// deadlinePatch checks the deadline in each iteration of all, filter, count and similar loops.
// Loops may nest over lists that come from a page.
type deadlinePatch struct{}

// Visit adds the check to the body of a loop.
func (deadlinePatch) Visit(node *ast.Node) {
	if body, ok := (*node).(*ast.PredicateNode); ok {
		ask := &ast.CallNode{Callee: &ast.IdentifierNode{Value: deadlineFunc},
			Arguments: []ast.Node{&ast.IdentifierNode{Value: deadlineContext}}}
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

// compile compiles the expression with the types of its names. The error is a *file.Error.
func (c *Condition) compile(env types.Map) error {
	env[deadlineContext] = types.Any
	program, err := expr.Compile(c.Text.Value, expr.Env(env), expr.AsBool(), expr.MaxNodes(maxNodes),
		expr.Patch(deadlinePatch{}),
		expr.Function(deadlineFunc, checkDeadline, new(func(any) bool)),
		expr.Function("defined", func(args ...any) (any, error) { return args[0] != nil, nil }, new(func(any) bool)))
	if err != nil {
		return err
	}
	c.program = program
	return nil
}

// Holds evaluates the condition within the deadline of ctx.
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

// expressionError returns the message of a compile error and its byte offset in the expression.
func expressionError(text string, err error) (at int, problem string) {
	var e *file.Error
	if !errors.As(err, &e) {
		problem, _, _ = strings.Cut(err.Error(), "\n")
		return 0, problem
	}
	runes := []rune(text)
	return len(string(runes[:min(max(e.From, 0), len(runes))])), e.Message
}
