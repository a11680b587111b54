// Package deb packs the program for Debian: with manual pages, completions and a unit for the
// person's own services. It must not know how those are made.
package deb

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	debian "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"

	"github.com/callsheet/callsheet/scripts/packaging/internal/archive"
	"github.com/callsheet/callsheet/scripts/packaging/internal/compile"
	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

//go:embed files/callsheet.service
var unit []byte

//go:embed files/lintian-overrides
var overrides []byte

// Package says what the package is called and who made it.
type Package struct {
	Version    string
	Repository string // URL
	Author     string
	Licence    []byte // the text of the licence
	Notices    []byte // the licences of linked modules
	Help       compile.Help
	Made       time.Time
}

// description begins with the line that lists of packages show. Lines stay below 80 columns.
const description = `browser automation for AI agents over the Model Context Protocol
Callsheet drives a real Chromium. It serves the Model Context Protocol on
standard input and output or over HTTP, and every tool is a command too.`

// maintainer is the address that Debian's tools ask for.
const maintainer = "The Callsheet authors <callsheet@users.noreply.github.com>"

// FileName returns the name of a package as dpkg-deb gives it.
func FileName(version, arch string) string {
	return target.Program + "_" + version + "_" + arch + ".deb"
}

// Write writes the package with the programs of one target: the server, and the one that compiles sites.
func (p Package) Write(file, program, site, arch string) error {
	scratch, err := os.MkdirTemp("", "callsheet-deb-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	contents, err := p.contents(scratch, program, site)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: target.Program, Arch: arch, Platform: "linux", Version: p.Version, Section: "web", Priority: "optional",
		Maintainer: maintainer, Homepage: p.Repository, MTime: p.Made, DisableGlobbing: true, Description: description,
		Overridables: nfpm.Overridables{
			Depends:    []string{"chromium"},
			Recommends: []string{"ca-certificates", "fonts-liberation"},
			Contents:   contents,
			Umask:      0o022,
			Deb:        nfpm.Deb{Compression: "gzip"},
		},
	})
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return fmt.Errorf("describe %s: %w", file, err)
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := debian.Default.Package(info, out); err != nil {
		_ = out.Close()
		return fmt.Errorf("pack %s: %w", file, err)
	}
	return out.Close()
}

// contents lists the files of the package. Those that the release makes are written below scratch.
func (p Package) contents(scratch, program, site string) (files.Contents, error) {
	share := "/usr/share/doc/" + target.Program + "/"
	written := []archive.Entry{
		{Name: "/usr/lib/systemd/user/callsheet.service", Data: unit},
		{Name: "/usr/share/lintian/overrides/callsheet", Data: overrides},
		{Name: share + "copyright", Data: p.copyright()},
		{Name: "/usr/share/bash-completion/completions/callsheet", Data: p.Help.Completions["bash"]},
		{Name: "/usr/share/zsh/vendor-completions/_callsheet", Data: p.Help.Completions["zsh"]},
		{Name: "/usr/share/fish/vendor_completions.d/callsheet.fish", Data: p.Help.Completions["fish"]},
	}
	compressed := []archive.Entry{
		{Name: share + "changelog.gz", Data: p.changelog()},
		{Name: share + "THIRD_PARTY_NOTICES.gz", Data: p.Notices},
	}
	for _, page := range p.Help.Manual {
		compressed = append(compressed, archive.Entry{Name: "/usr/share/man/man1/" + page.Name + ".gz", Data: page.Data})
	}
	for _, e := range compressed {
		var b bytes.Buffer
		if err := archive.Gzip(&b, e.Data); err != nil {
			return nil, err
		}
		written = append(written, archive.Entry{Name: e.Name, Data: b.Bytes()})
	}
	out := files.Contents{
		{Source: program, Destination: "/usr/bin/" + target.Program, FileInfo: p.info(0o755)},
		{Source: site, Destination: "/usr/bin/" + target.SiteProgram, FileInfo: p.info(0o755)},
	}
	for _, e := range written {
		source := filepath.Join(scratch, strings.ReplaceAll(e.Name, "/", "_"))
		if err := os.WriteFile(source, e.Data, 0o644); err != nil {
			return nil, err
		}
		out = append(out, &files.Content{Source: source, Destination: e.Name, FileInfo: p.info(0o644)})
	}
	return out, nil
}

func (p Package) info(mode os.FileMode) *files.ContentFileInfo {
	return &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: p.Made}
}

// copyright writes the licence in Debian's format, version 1.0.
func (p Package) copyright() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"+
		"Upstream-Name: callsheet\nSource: %s\n\nFiles: *\nCopyright: %d %s\nLicense: Expat\n", p.Repository, p.Made.Year(), p.Author)
	_, text, _ := strings.Cut(string(p.Licence), "Permission is hereby")
	for line := range strings.Lines("Permission is hereby" + text) {
		if line = strings.TrimSpace(line); line == "" {
			line = "."
		}
		b.WriteString(" " + line + "\n")
	}
	b.WriteString("Comment:\n The licences of the linked Go modules are in THIRD_PARTY_NOTICES.gz beside this file.\n")
	return []byte(b.String())
}

// changelog writes the one entry that Debian's tools read the version and the time of.
func (p Package) changelog() []byte {
	return fmt.Appendf(nil, "callsheet (%s) stable; urgency=medium\n\n  * Release %s. CHANGELOG.md of the source says what changed.\n\n -- %s  %s\n",
		p.Version, p.Version, maintainer, p.Made.UTC().Format("Mon, 02 Jan 2006 15:04:05 -0700"))
}
