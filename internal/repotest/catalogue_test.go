package repotest

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/param"
)

// catalogue is testdata/openchrome.yaml: JSON types by parameter, by tool.
type catalogue struct {
	Every map[string]string            // parameters of all tools
	Tools map[string]map[string]string // own parameters
}

// TestCatalogueIsAccountedFor compares the documented parameters of the tools that these tools stand in
// for with the manifest. A parameter is taken by its name or as an older name, in its type, or it is
// refused with a reason. A member of a refused object is refused with it.
func TestCatalogueIsAccountedFor(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("internal/repotest/testdata/openchrome.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c catalogue
	if err := yaml.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	set := manifestSet(t)
	counts := map[verdict]int{}
	for _, name := range slices.Sorted(maps.Keys(c.Every)) {
		if !refuses(set.Refused, name) {
			t.Errorf("%s, which every tool of the catalogue takes, is not explained", name)
		}
		counts[refused]++
	}
	unlisted := 0
	for _, name := range slices.Sorted(maps.Keys(c.Tools)) {
		i := slices.IndexFunc(set.Tools, func(t *model.Tool) bool { return t.Name == name || slices.Contains(t.Was, name) })
		if i < 0 {
			t.Errorf("there is no tool %s", name)
			continue
		}
		for _, path := range slices.Sorted(maps.Keys(c.Tools[name])) {
			got, p := account(set, set.Tools[i], path, c.Tools[name][path])
			if counts[got]++; got == unexplained || got == otherType {
				t.Errorf("%s: %s (%s) is %s", name, path, c.Tools[name][path], got)
			}
			if p != nil && p.Unlisted {
				unlisted++
			}
		}
	}
	t.Logf("%d tools: %d parameters implemented, %d of them unlisted; %d accepted by an older name; %d refused with a reason; %d unexplained",
		len(c.Tools), counts[implemented], unlisted, counts[renamed], counts[refused], counts[unexplained]+counts[otherType])
}

// verdict is how this project treats a documented parameter.
type verdict string

const (
	implemented verdict = "implemented"
	renamed     verdict = "renamed"
	refused     verdict = "refused"
	otherType   verdict = "of another type"
	unexplained verdict = "not explained"
)

// account says what becomes of a parameter, or of a member of one at a path such as "tasks[].tabId", and
// returns the property that takes it.
func account(set *model.Toolset, tool *model.Tool, path, kind string) (verdict, *param.Property) {
	o, out := tool.Input, implemented
	names := strings.Split(path, ".")
	for i, name := range names {
		name = strings.TrimSuffix(name, "[]")
		if refuses(o.Refused, name) {
			return refused, nil
		}
		at := slices.IndexFunc(o.Properties, func(p *param.Property) bool { return p.Name == name || slices.Contains(p.Was, name) })
		if at < 0 {
			if i == 0 && refuses(set.Refused, name) {
				return refused, nil
			}
			return unexplained, nil
		}
		p := o.Properties[at]
		if p.Name != name {
			out = renamed
		}
		if i == len(names)-1 {
			if !takes(p, kind) {
				return otherType, p
			}
			return out, p
		}
		if slices.Contains(p.FromObject, names[i+1]) {
			return out, p
		}
		inner := p.Type
		for inner.Items != nil {
			inner = inner.Items
		}
		if inner.Object == nil {
			return unexplained, nil
		}
		o = inner.Object
	}
	return unexplained, nil
}

func refuses(names []*model.Refused, name string) bool {
	return slices.ContainsFunc(names, func(x *model.Refused) bool { return x.Name == name })
}

// takes reports whether a property accepts values of a JSON type.
func takes(p *param.Property, kind string) bool {
	switch kind {
	case "any":
		return true
	case "number":
		return p.Type.Kind == param.Number || p.Type.Kind == param.Integer
	case "object":
		return p.Type.Kind == param.Nested || p.ObjectForm() != model.NoObject
	}
	return string(p.Type.Kind) == kind
}
