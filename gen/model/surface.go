package model

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// Surface is a kind of dangerous thing that policies speak of. Powers belong to one, tools state
// theirs.
type Surface struct {
	Name, Description string
	GoName            string // SurfaceNavigation
	Flag              string // no-script: the flag that takes the powers of the surface away; "" for none
	Pos               diag.Pos
}

// SurfaceNames lists the policy surfaces in manifest order.
func (ts *Toolset) SurfaceNames() []string {
	return slicesx.List(ts.Surfaces, func(s *Surface) string { return s.Name })
}

// Flag is the flag that takes the powers of a policy surface away, or "".
func (ts *Toolset) Flag(surface string) string {
	i := slices.Index(ts.SurfaceNames(), surface)
	if i < 0 {
		return ""
	}
	return ts.Surfaces[i].Flag
}

// declareSurfaces resolves the vocabulary of the root file.
func (r vocabulary) declareSurfaces(in []spec.Surface) {
	for _, s := range in {
		r.name(s.Name, "a policy surface")
		r.notEmpty(s.Description, "the description")
		if s.Flag.Set() && !verbName.MatchString(s.Flag.Value) {
			r.errorf(s.Flag.Pos, paramspec.RuleBadName, "%q is no name for a flag", s.Flag.Value).Hint = "small letters, digits and hyphens, without the leading ones"
		}
		item := &Surface{Name: s.Name.Value, Description: s.Description.Value, GoName: "Surface" + r.goName(s.Name.Value), Flag: s.Flag.Value, Pos: s.Name.Pos}
		r.ident(item.GoName, "surface \""+item.Name+"\"", s.Name.Pos)
		r.surface.add(item.Name, item)
		r.set.Surfaces = append(r.set.Surfaces, item)
	}
}
