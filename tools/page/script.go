package page

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// JavascriptTool runs script in the page's own world.
func (t *Tools) JavascriptTool(ctx context.Context, call *toolkit.Call, in pageapi.JavascriptToolParams, powers pageapi.JavascriptToolPowers) (toolkit.Result, error) {
	running, cancel := context.WithTimeout(ctx, time.Duration(in.Timeout)*time.Millisecond)
	defer cancel()
	tab, err := t.sessions.Tab(running, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	value, err := evaluate.RunOn(running, tab, powers.Script(), in.Code, in.Refs)
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = toolkit.Refuse(toolkit.Timeout, fmt.Sprintf("not finished within %d ms; timeout allows more", in.Timeout), toolkit.Field{Name: "ms", Value: in.Timeout})
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(show(value)), nil
}

// show prints a value for a reader. A text that reads as no text, or as another value, is quoted.
func show(v evaluate.Value) string {
	text := fence.Block(v.Text(), "  ")
	if v.Type == "string" && readsAsScalar(text) {
		text = string(v.JSON)
	}
	if v.Truncated {
		text += "\n[parts of the value were too deep or too large and are left out]"
	}
	return text
}

// readsAsScalar reports whether a text without quotes reads as another value.
func readsAsScalar(text string) bool {
	switch text {
	case "", "true", "false", "null", "undefined":
		return true
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
