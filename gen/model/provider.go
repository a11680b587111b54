package model

import (
	"slices"

	"github.com/callsheet/callsheet/gen/spec"
)

// Providers lists the providers of models whose limits on schemas the compiler knows.
func Providers() []string { return []string{"anthropic", "gemini", "openai"} }

// providers resolves the providers whose limits hold.
func (r settings) providers(in []spec.Text) {
	for _, name := range r.unique(in) {
		if !slices.Contains(Providers(), name.Value) {
			r.unknown(name, ruleUnknownProvider, "provider", Providers())
			continue
		}
		r.set.Providers = append(r.set.Providers, name.Value)
	}
}
