// Package sbom writes which modules a program links, as a CycloneDX document. It reads the program,
// not the source, and must not know how either was made.
package sbom

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

// repository is the Go module of the program, without a scheme.
const repository = "github.com/callsheet/callsheet"

// Program is a program of a release.
type Program struct {
	File, Name, Version string
	SHA256              string // of the file, hexadecimal
	Target              target.Target
	Made                time.Time
}

// Document describes the modules that a program consists of.
func Document(p Program) ([]byte, error) {
	info, err := buildinfo.ReadFile(p.File)
	if err != nil {
		return nil, fmt.Errorf("read the modules of %s: %w", p.File, err)
	}
	bom := cdx.NewBOM()
	root := "pkg:golang/" + repository + "@v" + p.Version + "?goos=" + p.Target.OS + "&goarch=" + p.Target.Arch
	bom.Metadata = &cdx.Metadata{
		Timestamp: p.Made.UTC().Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: root, Type: cdx.ComponentTypeApplication, Name: p.Name, Version: p.Version, PackageURL: root,
			Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: p.SHA256}},
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}},
		},
	}
	components := []cdx.Component{library("std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, m := range info.Deps {
		if strings.HasPrefix(m.Path, repository) {
			continue // the compiler's run-time library, of the same repository and version
		}
		components = append(components, module(m))
	}
	var refs []string
	for _, c := range components {
		refs = append(refs, c.BOMRef)
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: root, Dependencies: &refs}}
	var out bytes.Buffer
	err = cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	return out.Bytes(), err
}

func module(m *debug.Module) cdx.Component {
	if m.Replace != nil {
		m = m.Replace
	}
	return library(m.Path, m.Version, m.Sum)
}

// library describes a module. Go's sum "h1:" is the SHA-256 of the list of the module's files.
func library(path, version, sum string) cdx.Component {
	url := "pkg:golang/" + path + "@" + version
	c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: url, Scope: cdx.ScopeRequired}
	if digest, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:")); err == nil && len(digest) > 0 {
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(digest)}}
	}
	return c
}
