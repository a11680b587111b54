package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/settings"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// loaded is a module with the manifests that a command works on.
type loaded struct {
	root    string
	sources []gen.Source // at least one
	diags   diag.List    // warnings about the settings
}

// line returns one line of a file of any manifest.
func (m loaded) line(file string, line int) (string, bool) {
	for _, src := range m.sources {
		if text, ok := src.Line(file, line); ok {
			return text, true
		}
	}
	return "", false
}

// loadAll reads the manifests that --manifest selects: every one without it.
func (a *app) loadAll() (loaded, error) {
	root, err := gen.FindModule(a.dir)
	if err != nil {
		return loaded{}, inputError{err}
	}
	layouts, file, diags, err := gen.ReadSettings(root)
	if err != nil {
		return loaded{}, inputError{err}
	}
	if file != nil && diags.HasErrors() {
		return loaded{}, a.report(diags, gen.Source{Settings: file}.Line)
	}
	if a.manifest != "" {
		if err := a.selectManifest(root, layouts); err != nil {
			return loaded{}, err
		}
	}
	m := loaded{root: root, diags: diags}
	for _, l := range layouts {
		if a.manifest != "" && l.Manifest != a.manifest {
			continue
		}
		src, err := gen.LoadManifest(root, l.Manifest)
		if err != nil {
			return loaded{}, inputError{err}
		}
		m.sources = append(m.sources, src)
	}
	return m, nil
}

// selectManifest makes --manifest the name of a root file as the settings have it. It may be written
// relative to the module, or to the directory that the command runs in.
func (a *app) selectManifest(root string, layouts []model.Layout) error {
	var names []string
	given := filepath.ToSlash(filepath.Clean(a.manifest))
	beside := ""
	if full, err := filepath.Abs(filepath.Join(a.dir, a.manifest)); err == nil {
		if rel, err := filepath.Rel(root, full); err == nil {
			beside = filepath.ToSlash(rel)
		}
	}
	for _, l := range layouts {
		if l.Manifest == given || l.Manifest == beside {
			a.manifest = l.Manifest
			return nil
		}
		names = append(names, l.Manifest)
	}
	if hint := diag.DidYouMean(given, names); hint != "" {
		return inputError{fmt.Errorf("the module has no manifest %s; %s", given, hint)}
	}
	return inputError{fmt.Errorf("the module has no manifest %s; %s lists them, and there is %s", given, settings.File, strings.Join(names, ", "))}
}

// load reads the one manifest that a command works on, and says where the module is.
func (a *app) load() (root string, src gen.Source, err error) {
	m, err := a.loadAll()
	if err != nil {
		return "", gen.Source{}, err
	}
	if len(m.sources) > 1 {
		names := slicesx.Map(m.sources, func(src gen.Source) string { return src.RootFile() })
		return "", gen.Source{}, fmt.Errorf("the module has several manifests; name one: --manifest is one of %s", strings.Join(names, ", "))
	}
	return m.root, m.sources[0], nil
}
