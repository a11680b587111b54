package toolkit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// changing makes a session of a registry in which connect sets connected, quiet declares nothing,
// and each runs a function.
func changing(t *testing.T, run map[string]func(v *toolkit.Session), layers ...toolkit.Middleware) *toolkit.Session {
	t.Helper()
	reg := &toolkit.Registry{
		Capabilities: []toolkit.Capability{{Name: "core"}}, Scopes: []string{"default"}, Facts: []string{"connected", "debugging", "paused"},
		Address: "connection_id",
		Events:  []toolkit.Event{{Name: "gone", When: func(f toolkit.Facts) bool { return f.Has(factConnected) }, Changes: toolkit.Changes{Clears: factConnected}}},
	}
	for _, name := range []string{"connect", "fail", "quiet"} {
		row := tool(name, "core", 1, func(_ context.Context, call *toolkit.Call) (toolkit.Result, error) {
			if f := run[name]; f != nil {
				f(call.Session)
			}
			if name == "fail" {
				return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, "no")
			}
			return toolkit.Text("done"), nil
		})
		if name != "quiet" {
			row.Changes = toolkit.Changes{Sets: factConnected, Clears: factPaused, MaySet: factDebugging}
		}
		reg.Tools = append(reg.Tools, row)
	}
	s, err := toolkit.NewSurface(reg.Index(), toolkit.Options{}, layers...)
	if err != nil {
		t.Fatal(err)
	}
	return s.NewSession("s", nil)
}

func dispatch(t *testing.T, v *toolkit.Session, name, args string) {
	t.Helper()
	if _, err := v.Dispatch(t.Context(), toolkit.Request{Tool: name, Args: []byte(args)}); err != nil {
		t.Fatal(err)
	}
}

func TestDispatchAppliesCertainChanges(t *testing.T) {
	t.Parallel()
	v := changing(t, nil)
	v.Replace(factPaused)
	if dispatch(t, v, "fail", "{}"); v.Facts() != factPaused {
		t.Errorf("after a refused call the facts are %b", v.Facts())
	}
	if dispatch(t, v, "connect", `{"connection_id":"c2"}`); v.Facts() != factPaused {
		t.Errorf("after a call for another connection the facts are %b", v.Facts())
	}
	if dispatch(t, v, "connect", "{}"); v.Facts() != factConnected {
		t.Errorf("after a call the facts are %b", v.Facts())
	}
	reporting := changing(t, map[string]func(*toolkit.Session){"connect": func(v *toolkit.Session) { v.Replace(factPaused) }})
	if dispatch(t, reporting, "connect", "{}"); reporting.Facts() != factPaused {
		t.Errorf("facts that were reported during the call became %b", reporting.Facts())
	}
}

func TestCheckChanges(t *testing.T) {
	t.Parallel()
	var reports []string
	set := toolkit.Facts(0)
	report := func(v *toolkit.Session) { v.Replace(set) }
	v := changing(t, map[string]func(*toolkit.Session){"connect": report, "quiet": report},
		toolkit.CheckChanges(func(err error) { reports = append(reports, err.Error()) }))
	set = factConnected | factDebugging
	dispatch(t, v, "connect", "{}")
	set = factDebugging // the event, during a call that declares nothing
	dispatch(t, v, "quiet", "{}")
	if len(reports) > 0 {
		t.Errorf("declared changes are reported: %q", reports)
	}
	set = factConnected | factDebugging
	dispatch(t, v, "quiet", "{}")
	v.Change(factPaused, 0)
	dispatch(t, v, "quiet", "{}")
	if len(reports) != 3 || !strings.Contains(reports[0], "{debugging} to {connected, debugging}; calls under way: quiet") {
		t.Errorf("reported is %q", reports)
	}
}
