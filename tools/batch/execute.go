package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/generated/toolset/batchapi"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/result"
)

// state is the state of a task.
type state string

// The states.
const (
	done      state = "ok"
	failed    state = "failed"
	cancelled state = "cancelled" // it was under way when the batch ended
	notRun    state = "not_run"
)

// item is a task with what came of it.
type item struct {
	number int // from 1
	tab    string
	tool   string
	args   []byte
	limit  time.Duration
	refs   []string // in args
	known  *knownTab

	state   state
	code    toolkit.Code
	message string // of what failed
	took    time.Duration
	res     toolkit.CallResult
}

// batch is one call's tasks.
type batch struct {
	call     *toolkit.Call
	items    []*item
	most     int // at once
	failFast bool
	begun    time.Time

	mu       sync.Mutex
	finished int
}

// errFailFast is why the rest of a batch was given up.
var errFailFast = errors.New("another task failed, and failFast is set")

// BatchExecute calls tools in many tabs at once.
func (t *Tools) BatchExecute(ctx context.Context, call *toolkit.Call, in batchapi.BatchExecuteParams) (toolkit.Result, error) {
	b := &batch{call: call, most: in.Concurrency, failFast: in.FailFast, begun: time.Now()}
	var bad toolkit.Violations
	for i, task := range in.Tasks {
		it, v := itemOf(call, task, in.Timeout)
		if it.number = i + 1; v != nil {
			v.Path = fmt.Sprintf("/tasks/%d%s", i, v.Path)
			bad = append(bad, *v)
		}
		b.items = append(b.items, it)
	}
	if len(bad) > 0 {
		return toolkit.Result{}, bad
	}
	know(ctx, t.sessions.Set(call), b.items)
	why := b.run(ctx)
	return t.result(ctx, b, why)
}

// itemOf reads one task.
func itemOf(call *toolkit.Call, task batchapi.BatchExecuteTasksItem, limit int) (*item, *toolkit.Violation) {
	it := &item{
		tab: task.TabID.Value, tool: task.Tool.Value, args: task.Args, state: notRun,
		limit: time.Duration(task.Timeout.Or(limit)) * time.Millisecond,
	}
	switch {
	case task.Tool.Set == task.Script.Set:
		return it, &toolkit.Violation{Problem: `exactly one of "tool", "script" is required`}
	case task.Script.Set && task.Args != nil:
		return it, &toolkit.Violation{Path: "/args", Problem: "a script takes no args"}
	case task.Script.Set:
		it.tool = toolset.ToolJavascriptTool
		it.args = []byte(`{"code":` + quoted(task.Script.Value) + `}`)
	}
	if t := call.Session.Surface().Tool(it.tool); t != nil && t.Name == call.Tool.Name {
		return it, &toolkit.Violation{Path: "/tool", Problem: "a batch does not contain another"}
	}
	if !task.TabID.Set {
		return it, nil
	}
	args := make(map[string]json.RawMessage)
	if len(it.args) > 0 {
		if err := json.Unmarshal(it.args, &args); err != nil {
			return it, &toolkit.Violation{Path: "/args", Problem: err.Error()}
		}
	}
	own, twice := args["tabId"]
	if args["tabId"] = json.RawMessage(quoted(it.tab)); twice && string(own) != string(args["tabId"]) {
		return it, &toolkit.Violation{Path: "/args/tabId", Problem: "is another tab than the task's tabId"}
	}
	merged, err := json.Marshal(args)
	if err != nil {
		return it, &toolkit.Violation{Path: "/args", Problem: err.Error()}
	}
	it.args = merged
	return it, nil
}

func quoted(s string) string {
	out, err := json.Marshal(s)
	if err != nil { // texts always marshal
		return strconv.Quote(s)
	}
	return string(out)
}

// lanes are the tasks in what can go on at once: those of one tab come one after the other, as they
// were given.
func (b *batch) lanes() [][]*item {
	var out [][]*item
	of := make(map[string]int)
	for _, it := range b.items {
		at, known := of[it.tab]
		if it.tab == "" || !known {
			of[it.tab] = len(out)
			out = append(out, []*item{it})
			continue
		}
		out[at] = append(out[at], it)
	}
	return out
}

// run runs the tasks and returns when none is under way any more; the error is why some were not
// run.
func (b *batch) run(ctx context.Context) error {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	lanes := b.lanes()
	queue := make(chan []*item)
	var workers sync.WaitGroup
	for range min(b.most, len(lanes)) {
		workers.Go(func() {
			for lane := range queue {
				for _, it := range lane {
					if inner.Err() == nil {
						it.eachRef(inner, (*document.KnownNames).Restore)
						if b.do(inner, it); b.changes(it) {
							it.eachRef(inner, (*document.KnownNames).Follow)
						}
						if it.state == failed && b.failFast {
							stop(errFailFast)
						}
					}
				}
			}
		})
	}
	for _, lane := range lanes {
		queue <- lane
	}
	close(queue)
	workers.Wait()
	return context.Cause(inner)
}

// changes reports that the tool of a task may change the page.
func (b *batch) changes(it *item) bool {
	t := b.call.Session.Surface().Tool(it.tool)
	return t != nil && !t.Effects.ReadOnly
}

// do runs one task.
func (b *batch) do(ctx context.Context, it *item) {
	limited, cancel := context.WithTimeout(ctx, it.limit)
	defer cancel()
	begun := time.Now()
	res, err := b.call.Dispatch(limited, it.tool, it.args, nil)
	it.took = time.Since(begun)
	var unknown *toolkit.UnknownToolError
	switch {
	case err == nil && !res.Refused:
		it.state, it.res = done, res
	case err == nil:
		it.state, it.code, it.res = failed, res.RefusalCode(), res
		it.message = result.TextOf(res)
	case errors.As(err, &unknown):
		it.state, it.code, it.message = failed, toolkit.UnknownTool, unknown.Error()
	case ctx.Err() != nil:
		it.state, it.message = cancelled, "ended with the batch"
	case limited.Err() != nil:
		it.state, it.code, it.message = failed, toolkit.Timeout, fmt.Sprintf("not finished within %v; timeout allows more", it.limit)
	default:
		it.state, it.code, it.message = failed, toolkit.Failed, err.Error()
	}
	b.mu.Lock()
	b.finished++
	n := b.finished
	b.mu.Unlock()
	b.call.Progress(float64(n), float64(len(b.items)), fmt.Sprintf("[%d] %s %s %s", it.number, it.tool, it.tab, it.state))
}
