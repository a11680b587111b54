package secret

import "slices"

// WithStandIns returns the vault with a made-up value for each name that it lacks, for pages that answer no one: a
// recorded site takes a value that is no secret too. A name that no secret can have is left out.
func (v *Vault) WithStandIns(names []string) *Vault {
	out := &Vault{values: map[string][]boundValue{}}
	if v != nil {
		for name, values := range v.values {
			out.values[name] = slices.Clone(values)
		}
	}
	for _, name := range names {
		if out.values[name] == nil && namePattern().MatchString(name) {
			out.values[name] = []boundValue{{value: "stand-in-" + name}}
		}
	}
	for name := range out.values {
		out.names = append(out.names, name)
	}
	slices.Sort(out.names)
	out.prepare()
	return out
}
