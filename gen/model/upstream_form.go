package model

import (
	"net/url"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// upstreamForm reports keys of an upstream that do not go together.
func (r *resolver) upstreamForm(in *spec.Upstream) {
	var kinds []string
	for _, k := range []struct {
		name string
		set  bool
	}{{"command", len(in.Command) > 0}, {"url", in.URL.Set()}, {"openapi", in.OpenAPI.Set()}} {
		if k.set {
			kinds = append(kinds, k.name)
		}
	}
	if len(kinds) != 1 {
		d := r.errorf(in.Pos, ruleBadUpstream, "an upstream has exactly one of command, url and openapi; this has %d", len(kinds))
		if d.Hint = "write one of them"; len(kinds) > 1 {
			d.Hint = "keep one of " + strings.Join(kinds, ", ")
		}
		return
	}
	kind := kinds[0]
	for _, k := range []struct {
		name string
		at   diag.Pos
		with []string
	}{
		{"environment", firstText(in.Environment), []string{"command"}}, {"headers", firstRow(in.Headers), []string{"url", "openapi"}},
		{"overlay", in.Overlay.Pos, []string{"openapi"}}, {"server", in.Server.Pos, []string{"openapi"}}, {"secrets", firstRow(in.Secrets), []string{"openapi"}},
	} {
		if !k.at.IsZero() && !slices.Contains(k.with, kind) {
			r.errorf(k.at, ruleBadUpstream, "%s goes with %s, and this upstream has %s", k.name, strings.Join(k.with, " and "), kind).Hint = "delete " + k.name
		}
	}
	r.httpAddress(in.URL)
	r.httpAddress(in.Server)
	if kind == "openapi" {
		r.openAPI(in)
	}
}

// httpAddress reports a text that is no address over HTTP, and one with a password.
func (r *resolver) httpAddress(in spec.Text) {
	u, err := url.Parse(in.Value)
	switch {
	case !in.Set():
	case err != nil || !slices.Contains([]string{"http", "https"}, u.Scheme) || u.Host == "":
		r.errorf(in.Pos, ruleBadUpstream, "%q is no address over HTTP", in.Value).Hint = "write one such as https://example.com/v1"
	case u.User != nil:
		r.errorf(in.Pos, ruleBadUpstream, "the address has a name or a password, and a manifest has no secret").Hint =
			"write the address without it, and a header such as Authorization whose value is ${VARIABLE}"
	}
}

// openAPI reports an interface that cannot be called.
func (r *resolver) openAPI(in *spec.Upstream) {
	if !in.Server.Set() {
		r.errorf(in.Pos, ruleBadUpstream, "the upstream does not say where the interface is that %s describes", in.OpenAPI.Value).Hint = "write server, such as https://example.com/v1"
	}
	for _, s := range in.Secrets {
		if !variableName.MatchString(s.Value.Value) {
			r.errorf(s.Value.Pos, ruleBadUpstream, "the secret of %q is no name of an environment variable", s.Name.Value).Hint =
				"write the name of a variable such as API_KEY, and the secret into that variable"
		}
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
