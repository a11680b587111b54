package golang

import (
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

// EmitSourceDigests renders the file that says, in a release build, from which manifest the code was
// generated.
func EmitSourceDigests(set *model.Toolset, digests string) ([]output.File, error) {
	layout := set.Layout.OrDefault()
	text := "// " + Header(layout.Manifest) + `
//go:build release

package ` + layout.Packages.Registry + `

// SourceDigests sums each entry of the manifest that this code was generated from.
const SourceDigests = ` + "`" + digests + "`\n"
	return []output.File{{Path: layout.Packages.Registry + "/release_sources.go", Data: []byte(text)}}, nil
}
