package metadata

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golang"
	"github.com/callsheet/callsheet/gen/output"
)

// EmbeddedFile is the Go package by which a program has the files for clients in it. It is no file of
// a release.
const EmbeddedFile = dir + "/metadata.go"

// embedded renders the package.
func (e emitter) embedded() (output.File, error) {
	f := jen.NewFile(dir)
	f.HeaderComment(golang.Header(e.set.Layout.OrDefault().Manifest))
	f.PackageComment("Package " + dir + " holds the skill of the server, and the configuration with which clients start it.")
	f.PackageComment("")
	f.PackageComment("It must not know where clients keep their files.")
	f.Anon("embed")
	f.Comment("What the manifest says of the server.")
	f.Const().Defs(
		jen.Id("Program").Op("=").Lit(e.server.Program).Comment("name of the executable"),
		jen.Id("NPM").Op("=").Lit(e.server.NPM).Comment("package that starts it; \"\" when there is none"),
		jen.Id("Repository").Op("=").Lit(e.server.Repository).Comment("address of the source code; \"\" when not given"),
	)
	files := []struct{ id, name, path, doc string }{
		{"skill", "Skill", e.skillPath(), "Skill is SKILL.md: how an agent with a shell uses the program."},
		{"mcpServers", "MCPServers", "cursor/mcp.json", "MCPServers is the configuration of clients that keep servers under mcpServers."},
		{"gemini", "Gemini", "gemini/gemini-extension.json", "Gemini is the extension of Gemini CLI, which has its servers under mcpServers."},
		{"vscode", "VSCode", "vscode/mcp.json", "VSCode is the configuration of VS Code."},
	}
	for _, x := range files {
		f.Comment("//go:embed " + x.path)
		f.Var().Id(x.id).String()
	}
	for _, x := range files {
		f.Comment(x.doc)
		f.Func().Id(x.name).Params().String().Block(jen.Return(jen.Id(x.id)))
	}
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return output.File{}, fmt.Errorf("render package %s: %w", dir, err)
	}
	return output.File{Path: EmbeddedFile, Data: b.Bytes()}, nil
}
