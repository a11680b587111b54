package main

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/internal/cli/mcpclient"
	"github.com/callsheet/callsheet/internal/cli/terminal"
)

// TestNoticesOfStructuredResults keeps what a result says beside its structured content.
func TestNoticesOfStructuredResults(t *testing.T) {
	t.Parallel()
	text := func(s string) mcpclient.Content { return mcpclient.Content{Type: "text", Text: s} }
	since := toolkit.SinceLast + "the page tried to open a window, which was refused"
	res := mcpclient.Result{Structured: []byte(`{"a":1}`), Content: []mcpclient.Content{text(since), text(`{"a":1}`), text("more tools")}}
	var out, errs strings.Builder
	p := program{stdout: &out}
	if err := p.show(cmdline.Call{}, res, terminal.New(&errs)); err != nil || out.String() != since+"\na: 1\nmore tools\n" {
		t.Errorf("shown: %q, %v", out.String(), err)
	}
	out.Reset()
	if err := p.show(cmdline.Call{JSON: true}, res, terminal.New(&errs)); err != nil || out.String() != "{\"a\":1}\n" || errs.String() != since+"\nmore tools\n" {
		t.Errorf("as JSON: %q, beside it %q, %v", out.String(), errs.String(), err)
	}
}
