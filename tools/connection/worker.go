package connection

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/connectionapi"
	"github.com/callsheet/callsheet/internal/session"
)

// Worker makes, lists and ends parts of the server's own browser that share nothing with each
// other.
func (t *Tools) Worker(ctx context.Context, call *toolkit.Call, in connectionapi.WorkerParams, powers connectionapi.WorkerPowers) (toolkit.Result, error) {
	set := t.sessions.Set(call)
	switch in.Action {
	case connectionapi.WorkerActionCreate:
		c, err := set.CreateWorker(ctx, powers.Window(), in.Name.Value)
		if err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Text(made(ctx, set, c.ID())), nil
	case connectionapi.WorkerActionDelete:
		if !in.Name.Set { // said here, where it costs nothing until somebody forgets it
			return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "delete needs the name of the worker")
		}
		names, _ := workers(ctx, set)
		if _, known := names[in.Name.Value]; !known {
			return toolkit.Result{}, toolkit.Refuse(codes.NotFound, fmt.Sprintf("there is no worker %q", in.Name.Value))
		}
		active, err := set.Disconnect(ctx, in.Name.Value)
		if err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Textf("deleted worker %s; the active connection is %s", in.Name.Value, active.ID()), nil
	case connectionapi.WorkerActionList:
	}
	_, lines := workers(ctx, set)
	if len(lines) == 0 {
		return toolkit.Text("no workers"), nil
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// workers lists the workers of a client, by name and as lines.
func workers(ctx context.Context, set *session.Set) (names map[string]struct{}, lines []string) {
	names = make(map[string]struct{})
	for _, info := range set.List(ctx) {
		if info.Kind == session.Worker {
			names[info.ID] = struct{}{}
			lines = append(lines, line(info))
		}
	}
	return names, lines
}
