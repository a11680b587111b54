package gen

import (
	"path"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/emit/client"
	goclient "github.com/callsheet/callsheet/gen/emit/client/golang"
	"github.com/callsheet/callsheet/gen/emit/client/python"
	"github.com/callsheet/callsheet/gen/emit/client/typescript"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

// clients renders the typed clients that the manifest lists, for a version of the server.
func clients(set *model.Toolset, version string) ([]output.File, error) {
	var out []output.File
	for _, c := range set.Clients {
		files, err := emitClient(set, c.Language, c.Package, version)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			out = append(out, output.File{Path: path.Join(client.Directory(c), f.Path), Data: f.Data})
		}
	}
	return out, nil
}

// emitClient renders the client of one language, with paths relative to its directory.
func emitClient(set *model.Toolset, l model.Language, pkg, version string) ([]output.File, error) {
	switch l {
	case model.TypeScript:
		return typescript.Emit(set, pkg, version)
	case model.Python:
		return python.Emit(set, pkg)
	case model.Go:
	}
	return goclient.Emit(set, pkg)
}

// Clients renders the typed client of one language, with paths relative to its directory. Without a
// package it has the name that the manifest gives it, or one made of the program's. There are no files
// where the manifest has errors.
func Clients(src Source, l model.Language, pkg string) ([]output.File, diag.List, error) {
	set, diags := Lint(src)
	if set == nil {
		return nil, diags, nil
	}
	if i := slices.IndexFunc(set.Clients, func(c *model.Client) bool { return c.Language == l }); i >= 0 && pkg == "" {
		pkg = set.Clients[i].Package
	}
	if pkg == "" {
		pkg = client.DefaultPackage(set, l)
	}
	set.Clients = []*model.Client{{Language: l, Package: pkg}}
	if clashes := client.Check(set); clashes.HasErrors() {
		return nil, append(diags, clashes...).Sorted(), nil
	}
	files, err := emitClient(set, l, pkg, releasedVersion(src))
	return files, diags, err
}
