package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// reply is the answer to a request of OpControl.
type reply struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func (o Options) control(ctx context.Context, request json.RawMessage) reply {
	if o.Control == nil {
		return reply{Error: "this daemon takes no requests"}
	}
	res, err := o.Control(ctx, request)
	if err != nil {
		return reply{Error: err.Error()}
	}
	raw, err := json.Marshal(res)
	if err != nil {
		return reply{Error: err.Error()}
	}
	return reply{Result: raw}
}

// Control sends a request about the daemon itself and decodes the result. It starts a daemon if none
// runs.
func (d Directory) Control(ctx context.Context, identity string, start Program, request, result any) error {
	raw, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	conn, _, err := d.Connect(ctx, Hello{Identity: identity, Op: OpControl, Request: raw}, start)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	var res reply
	switch err := json.NewDecoder(conn).Decode(&res); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("the daemon ended before it answered: %w", err)
	case res.Error != "":
		return errors.New(res.Error)
	}
	return json.Unmarshal(res.Result, result)
}
