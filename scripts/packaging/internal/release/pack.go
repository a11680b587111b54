package release

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/callsheet/callsheet/scripts/packaging/internal/archive"
	"github.com/callsheet/callsheet/scripts/packaging/internal/compile"
	"github.com/callsheet/callsheet/scripts/packaging/internal/deb"
	"github.com/callsheet/callsheet/scripts/packaging/internal/mcpb"
	"github.com/callsheet/callsheet/scripts/packaging/internal/npm"
)

// pack makes the archives and packages of all programs.
func (b *builder) pack(context.Context) error {
	for _, p := range b.programs {
		if err := b.archive(p); err != nil {
			return err
		}
		bundle := filepath.Join(b.Out, BundleFile(b.Version, p.Target))
		m := mcpb.Bundle{Target: p.Target, Manifest: b.bundle, Program: p.File, Site: p.SiteFile, Documents: b.documents}
		if err := m.Write(bundle, b.Time); err != nil {
			return err
		}
		if p.Target.OS == "linux" {
			if err := b.debian(p); err != nil {
				return err
			}
		}
	}
	entry, err := b.entry()
	if err != nil {
		return err
	}
	b.Log("npm packages")
	_, err = npm.Package{
		Name: entry.npm, MCPName: entry.name, Version: b.Version, Description: b.info.Description, Repository: b.info.Repository.URL,
		Licence: b.info.Licence, Author: b.info.Author.Name, Keywords: b.info.Keywords, Documents: b.documents, Readme: b.readme(),
	}.Write(filepath.Join(b.Out, NPMDir), b.programs, b.Time)
	return err
}

// archive packs the programs of a target with their documents, pages and completions, in a directory of the archive's name.
func (b *builder) archive(p npm.Program) error {
	entries := []archive.Entry{
		{Name: p.Target.Executable(), Source: p.File, Executable: true}, {Name: p.Target.SiteExecutable(), Source: p.SiteFile, Executable: true},
	}
	entries = append(entries, b.documents...)
	if p.Target.OS != "windows" {
		for _, page := range b.help.Manual {
			entries = append(entries, archive.Entry{Name: "man/man1/" + page.Name, Data: page.Data})
		}
		for _, shell := range compile.Shells {
			entries = append(entries, archive.Entry{Name: "completions/callsheet." + shell, Data: b.help.Completions[shell]})
		}
	}
	file := filepath.Join(b.Out, ArchiveFile(b.Version, p.Target))
	entries = archive.Below("callsheet-"+b.Version, entries)
	if p.Target.OS == "windows" {
		return archive.Zip(file, entries, b.Time)
	}
	return archive.Tar(file, entries, b.Time)
}

func (b *builder) debian(p npm.Program) error {
	return deb.Package{
		Version: b.Version, Repository: b.info.Repository.URL, Author: b.info.Author.Name,
		Licence: b.licence, Notices: b.notices, Help: b.help, Made: b.Time,
	}.Write(filepath.Join(b.Out, deb.FileName(b.Version, p.Target.Arch)), p.File, p.SiteFile, p.Target.Arch)
}

// readme is the page of the npm package.
func (b *builder) readme() []byte {
	return fmt.Appendf(nil, "# %s\n\n%s It is a server of the Model Context Protocol and a command line in one program.\n\n"+
		"```json\n{\"mcpServers\": {\"callsheet\": {\"command\": \"npx\", \"args\": [\"-y\", \"callsheet@%s\"]}}}\n```\n\n"+
		"It drives the Chromium or Chrome that the machine has; `npx callsheet doctor` says what is missing. The program is the\n"+
		"package of your system among the optional dependencies; installing fetches nothing else. With `CALLSHEET_BINARY_PATH`\n"+
		"set, also while installing, that program runs in its place.\n\n%s\n", b.info.Title, b.info.Description, b.Version, b.info.Repository.URL)
}
