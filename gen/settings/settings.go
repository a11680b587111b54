// Package settings reads where the manifests of a module are and where their generated files go, out of
// the file toolgen.yaml at the root of the module.
//
// It checks that no manifest writes into what another, or a person, writes. It must not know what a
// manifest says, nor read a file itself.
package settings

import (
	"cmp"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// File is the name of the settings, relative to the root of the module.
const File = "toolgen.yaml"

// Read returns the layout of each manifest, in the order of the file. A module without the file has one
// manifest, with the default layout. There is no layout where the diagnostics hold an error.
func Read(f *spec.File) ([]model.Layout, diag.List) {
	if f == nil {
		return []model.Layout{model.DefaultLayout()}, nil
	}
	entries, diags := spec.ParseSettings(*f)
	for i := range diags {
		diags[i].Fix = nil // "toolgen fix" edits manifests, which it finds through this file
	}
	in := &Input{}
	for _, s := range entries {
		in.manifests = append(in.manifests, placed{s, layoutOf(s)})
	}
	if !diags.HasErrors() && len(entries) == 0 {
		diags.Errorf(diag.Pos{File: f.Name, Line: 1, Col: 1}, rulePath, "the settings name no manifest").Hint =
			"add an entry such as: - manifest: " + model.DefaultLayout().Manifest
	}
	if !diags.HasErrors() {
		diags = append(diags, diag.Check(Rules(), in)...)
	}
	if diags.HasErrors() {
		return nil, diags
	}
	out := slicesx.Map(in.manifests, func(m placed) model.Layout { return m.layout })
	return out, diags
}

// layoutOf fills in what the settings of a manifest leave out.
func layoutOf(s spec.Settings) model.Layout {
	usual := model.DefaultLayout()
	out := model.Layout{
		Manifest: s.Manifest.Value,
		Output:   cmp.Or(s.Output.Value, usual.Output),
		Handlers: cmp.Or(s.Handlers.Value, usual.Handlers),
		Docs:     usual.Docs,
		Packages: model.Packages{
			Toolset:  cmp.Or(s.Packages.Toolset.Value, usual.Packages.Toolset),
			Registry: cmp.Or(s.Packages.Registry.Value, usual.Packages.Registry),
			Codes:    cmp.Or(s.Packages.Codes.Value, usual.Packages.Codes),
			Power:    cmp.Or(s.Packages.Power.Value, usual.Packages.Power),
			CLI:      cmp.Or(s.Packages.CLI.Value, usual.Packages.CLI),
		},
		WithReferences: s.References.Value, Joined: s.Joined.Value,
	}
	if s.DocsWritten {
		out.Docs = []string{}
	}
	for _, d := range s.Docs {
		out.Docs = append(out.Docs, d.Value)
	}
	return out
}
