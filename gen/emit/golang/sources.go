package golang

import "github.com/callsheet/callsheet/gen/output"

// EmitSourceDigest renders the file that says, in a release build, from which manifest the code was
// generated.
func EmitSourceDigest(digest string) ([]output.File, error) {
	text := "// " + header + `
//go:build release

package registry

// SourceDigest sums the files of the manifest that this code was generated from.
const SourceDigest = "` + digest + `"
`
	return []output.File{{Path: registryDir + "/release_sources.go", Data: []byte(text)}}, nil
}
