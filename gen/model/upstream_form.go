package model

import (
	"net/url"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// upstreamForm reports keys of an upstream that do not go together.
func (r settings) upstreamForm(in *spec.Upstream) {
	var kinds []string
	for _, k := range []struct {
		name string
		set  bool
	}{{"command", len(in.Command) > 0}, {"url", in.URL.Set()}} {
		if k.set {
			kinds = append(kinds, k.name)
		}
	}
	if len(kinds) != 1 {
		d := r.errorf(in.Pos, ruleBadUpstream, "an upstream has exactly one of command and url; this has %d", len(kinds))
		if d.Hint = "write one of them"; len(kinds) > 1 {
			d.Hint = "keep one of them"
		}
		return
	}
	kind := kinds[0]
	for _, k := range []struct {
		name string
		at   diag.Pos
		with string
	}{{"environment", firstText(in.Environment), "command"}, {"headers", firstRow(in.Headers), "url"}} {
		if !k.at.IsZero() && k.with != kind {
			r.errorf(k.at, ruleBadUpstream, "%s goes with %s, and this upstream has %s", k.name, k.with, kind).Hint = "delete " + k.name
		}
	}
	r.httpAddress(in.URL)
}

// httpAddress reports a text that is no address over HTTP, and one with a password.
func (r settings) httpAddress(in spec.Text) {
	u, err := url.Parse(in.Value)
	switch {
	case !in.Set():
	case err != nil || !slices.Contains([]string{"http", "https"}, u.Scheme) || u.Host == "":
		r.errorf(in.Pos, ruleBadUpstream, "%q is no address over HTTP", in.Value).Hint = "write one such as https://example.com/mcp"
	case u.User != nil:
		r.errorf(in.Pos, ruleBadUpstream, "the address has a name or a password, and a manifest has no secret").Hint =
			"write the address without it, and a header such as Authorization whose value is ${VARIABLE}"
	}
}

func firstText(in []spec.Text) diag.Pos {
	if len(in) == 0 {
		return diag.Pos{}
	}
	return in[0].Pos
}

func firstRow(in []spec.Header) diag.Pos {
	if len(in) == 0 {
		return diag.Pos{}
	}
	return in[0].Name.Pos
}
