//go:build release

package manifest

import "embed"

// Files are the files of the manifest as they were when the release was built.
//
//go:embed *.yaml *.json tools/*.yaml
var Files embed.FS
