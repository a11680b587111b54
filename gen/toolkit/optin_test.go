package toolkit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// trial is the sample registry with its capability "store" off unless it is asked for.
func trial() *toolkit.Registry {
	r := sample()
	for i := range r.Capabilities {
		r.Capabilities[i].OptIn = r.Capabilities[i].Name == "store"
	}
	return r
}

// TestOptInCapabilitiesAreOff: not listed, not called, not revealed and not found, until the
// operator says so.
func TestOptInCapabilitiesAreOff(t *testing.T) {
	t.Parallel()
	off, err := toolkit.NewSurface(trial(), toolkit.Options{AllTools: true})
	if err != nil {
		t.Fatal(err)
	}
	v := off.NewSession("s", nil)
	if d := cmp.Diff([]string{"boom", "click", "fail", "long", "look", "slow", "wide"}, listed(t, v)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	res, err := v.Dispatch(context.Background(), toolkit.Request{Tool: "rare"})
	if text := string(res.Structured); err != nil || !res.Refused || !strings.Contains(text, `"CAPABILITY_DISABLED"`) || !strings.Contains(text, "started with --store") {
		t.Errorf("called: %s, %v", text, err)
	}
	for _, wanted := range []toolkit.Selection{{Name: "rare"}, {Capability: "store"}} {
		var r *toolkit.Refusal
		if _, err := v.Expand(wanted); !errors.As(err, &r) || r.Code != toolkit.CapabilityDisabled {
			t.Errorf("expanded by %+v: %v", wanted, err)
		}
	}
	for _, row := range off.Rows(0) {
		if row.Tool.Name == "rare" && row.Reason != "excluded without --store" {
			t.Errorf("explained as %q", row.Reason)
		}
	}
	on, err := toolkit.NewSurface(trial(), toolkit.Options{AllTools: true, OptIn: []string{"store"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"boom", "click", "fail", "long", "look", "rare", "slow", "wide"}, listed(t, on.NewSession("s", nil))); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestOptInFailsClosed: asking for what is off says which flag is missing.
func TestOptInFailsClosed(t *testing.T) {
	t.Parallel()
	for want, opt := range map[string]toolkit.Options{
		`--tools-only asks for capability "store", which is off without --store`: {ToolsOnly: []string{"store"}},
		`--tools asks for "rare", whose capability is off without --store`:       {Tools: []string{"rare"}},
		`unknown capability "core"`: {OptIn: []string{"core"}},
	} {
		if _, err := toolkit.NewSurface(trial(), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
