package golang

import (
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

// EmitSourceDigest renders the file that says, in a release build, from which manifest the code was
// generated.
func EmitSourceDigest(set *model.Toolset, digest string) ([]output.File, error) {
	layout := set.Layout.OrDefault()
	text := "// " + Header(layout.Manifest) + `
//go:build release

package ` + layout.Packages.Registry + `

// SourceDigest sums the files of the manifest that this code was generated from.
const SourceDigest = "` + digest + `"
`
	return []output.File{{Path: layout.Packages.Registry + "/release_sources.go", Data: []byte(text)}}, nil
}
