//go:build release

package main

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/registry"
	"github.com/callsheet/callsheet/manifest"
)

// init ends a release that was built from stale generated code: the Go compiler reads no YAML and
// cannot refuse to build it (docs/adr/0016).
func init() {
	digests, err := manifestDigests()
	switch {
	case err != nil:
	case digests != registry.SourceDigests:
		err = fmt.Errorf("it was built from generated code that is not what manifest/ compiles to; run go generate ./... and build again")
	case toolkit.RowDigests(registry.New(registry.Handlers{}).Tools, registry.FactCount) != registry.RowDigests:
		err = fmt.Errorf("its table of tools was edited after it was generated; run go generate ./... and build again")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "callsheet: this program is no release:", err)
		os.Exit(1)
	}
}

// manifestDigests sums the entries of the manifest that was built into the program.
func manifestDigests() (string, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(manifest.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files["manifest/"+name], err = manifest.Files.ReadFile(name)
		return err
	})
	return toolkit.SourceDigests(files), err
}
