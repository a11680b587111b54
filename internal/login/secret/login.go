package secret

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Login has the names of the secrets by which a user signs in, and the origins to which the password is bound.
type Login struct {
	User, Password string // User is "" without such a secret
	Origins        []string
}

// Login returns the login of a name: its secrets are NAME_USER and NAME_PASSWORD, in capitals or not. A password
// that is not bound to an origin makes none, as any page could ask for it. The error is a refusal.
func (v *Vault) Login(name string) (Login, error) {
	var out Login
	for _, n := range v.Names() {
		switch {
		case strings.EqualFold(n, name+"_USER"):
			out.User = n
		case strings.EqualFold(n, name+"_PASSWORD"):
			out.Password = n
		}
	}
	if out.Password == "" {
		return out, v.unknown(strings.ToUpper(name) + "_PASSWORD")
	}
	for _, b := range v.values[out.Password] {
		if b.origin != "" {
			out.Origins = append(out.Origins, b.origin)
		}
	}
	if len(out.Origins) == 0 {
		return out, toolkit.Refuse(toolkit.PolicyDenied, fmt.Sprintf("%s is bound to no origin; an operator binds it: %s@https://site.example=…", out.Password, out.Password),
			toolkit.Field{Name: "surface", Value: "secret"})
	}
	slices.Sort(out.Origins)
	return out, nil
}
