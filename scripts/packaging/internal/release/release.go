// Package release makes the files of a release: programs, archives, packages, checksums and the list
// of linked modules. It must not publish anything.
package release

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/callsheet/callsheet/scripts/packaging/internal/archive"
	"github.com/callsheet/callsheet/scripts/packaging/internal/changelog"
	"github.com/callsheet/callsheet/scripts/packaging/internal/compile"
	"github.com/callsheet/callsheet/scripts/packaging/internal/notices"
	"github.com/callsheet/callsheet/scripts/packaging/internal/npm"
	"github.com/callsheet/callsheet/scripts/packaging/internal/sbom"
	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

// Options say what to make.
type Options struct {
	compile.Source
	Targets []target.Target
	Out     string // a directory that Build empties first
	Log     func(format string, args ...any)
}

// Names of files in the directory of a release.
const (
	MetadataDir  = "metadata"
	NPMDir       = "npm"
	ChecksumFile = "SHA256SUMS"
	NotesFile    = "NOTES.md"
)

// ArchiveFile returns the name of the archive of a target.
func ArchiveFile(version string, t target.Target) string {
	if t.OS == "windows" {
		return target.Program + "-" + version + "-" + t.String() + ".zip"
	}
	return target.Program + "-" + version + "-" + t.String() + ".tar.gz"
}

// BundleFile returns the name of the MCP bundle of a target.
func BundleFile(version string, t target.Target) string {
	return target.Program + "-" + version + "-" + t.String() + ".mcpb"
}

func modulesFile(program, version string, t target.Target) string {
	return program + "-" + version + "-" + t.String() + ".cdx.json"
}

// builder makes one release.
type builder struct {
	Options
	help      compile.Help
	info      info
	bundle    []byte // the generated manifest of the MCP bundle
	documents []archive.Entry
	licence   []byte
	notices   []byte
	programs  []npm.Program
}

// info is the description of the server in the generated manifest of the MCP bundle.
type info struct {
	Title       string   `json:"display_name"`
	Description string   `json:"description"`
	Keywords    []string `json:"keywords"`
	Licence     string   `json:"license"`
	Author      struct {
		Name string `json:"name"`
	} `json:"author"`
	Repository struct {
		URL string `json:"url"`
	} `json:"repository"`
}

// Build makes the release. Files that depend on no target are made too, so that a release of one target can be tried.
func Build(ctx context.Context, o Options) error {
	if err := os.RemoveAll(o.Out); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(o.Out, NPMDir), 0o755); err != nil {
		return err
	}
	b := &builder{Options: o}
	for _, step := range []func(context.Context) error{b.describe, b.readDocuments, b.compile, b.pack, b.registries, b.checksums} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// describe writes the metadata of the version, and reads back what the packages say.
func (b *builder) describe(ctx context.Context) (err error) {
	if err := b.Metadata(ctx, b.Out); err != nil {
		return err
	}
	if b.bundle, err = os.ReadFile(filepath.Join(b.Out, MetadataDir, "mcpb", "manifest.json")); err != nil {
		return err
	}
	if err := json.Unmarshal(b.bundle, &b.info); err != nil {
		return fmt.Errorf("read the generated manifest of the bundle: %w", err)
	}
	b.Log("manual pages and completions")
	b.help, err = b.Help(ctx)
	return err
}

// readDocuments makes the files that go with every program, and writes the notes of the release.
func (b *builder) readDocuments(ctx context.Context) (err error) {
	text, err := os.ReadFile(filepath.Join(b.Root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	section, named, err := changelog.Section(string(text), b.Version)
	if err != nil {
		return err
	}
	if !named {
		b.Log("CHANGELOG.md has no section %s yet; the notes are those of Unreleased", b.Version)
	}
	notes := []byte("# " + b.info.Title + " " + b.Version + "\n\n" + section)
	if err := os.WriteFile(filepath.Join(b.Out, NotesFile), notes, 0o644); err != nil {
		return err
	}
	if b.licence, err = os.ReadFile(filepath.Join(b.Root, "LICENSE")); err != nil {
		return err
	}
	if b.notices, err = notices.Text(ctx, b.Root); err != nil {
		return err
	}
	b.documents = []archive.Entry{{Name: "LICENSE", Data: b.licence}, {Name: notices.File, Data: b.notices}}
	return nil
}

// compile makes the programs of each target.
func (b *builder) compile(ctx context.Context) error {
	for _, t := range b.Targets {
		p := npm.Program{Target: t, File: filepath.Join(b.Out, t.Binary()), SiteFile: filepath.Join(b.Out, t.SiteBinary())}
		var err error
		if p.SHA256, err = b.program(ctx, target.Program, t, p.File); err != nil {
			return err
		}
		if p.SiteSum, err = b.program(ctx, target.SiteProgram, t, p.SiteFile); err != nil {
			return err
		}
		b.programs = append(b.programs, p)
	}
	return nil
}

// program makes a program and the list of its modules, and returns the digest of the program.
func (b *builder) program(ctx context.Context, name string, t target.Target, file string) (sum string, err error) {
	if err := b.Binary(ctx, name, t, file); err != nil {
		return "", err
	}
	sum, size, err := digest(file)
	if err != nil {
		return "", err
	}
	b.Log("%-30s %5.1f MB", filepath.Base(file), float64(size)/1e6)
	modules, err := sbom.Document(sbom.Program{File: file, Name: name, Version: b.Version, SHA256: sum, Target: t, Made: b.Time})
	if err != nil {
		return "", err
	}
	return sum, os.WriteFile(filepath.Join(b.Out, modulesFile(name, b.Version, t)), modules, 0o644)
}
