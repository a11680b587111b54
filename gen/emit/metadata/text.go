package metadata

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"text/template"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/command"
)

//go:embed layout
var layouts embed.FS

// skillData is the data of the template of SKILL.md.
type skillData struct {
	Server   *model.Server
	Sections []model.SkillSection
	Groups   []skillGroup
	Describe string
	When     string
}

type skillGroup struct {
	Name  string
	Verbs []skillVerb
}

type skillVerb struct{ Line, Short string }

// SkillBytes is the length of SKILL.md, which does not depend on the version.
func SkillBytes(set *model.Toolset) int {
	text, err := emitter{set: set, server: set.Server}.skill()
	if err != nil { // Emit reports it
		return 0
	}
	return len(text)
}

// skillPath is the place of SKILL.md below the directory of the files: where a plugin has it.
func (e emitter) skillPath() string { return "claude/skills/" + e.server.Program + "/SKILL.md" }

// skill is the command line as a skill: what a model reads in place of a list of tools. It has what
// the manifest says of the work, and the verbs of tools that are listed without asking for more and
// that no section shows; help names the others.
func (e emitter) skill() ([]byte, error) {
	data := skillData{Server: e.server, Describe: sentence(e.server.Description), When: "Use it by its command line."}
	sections := map[string]bool{}
	if s := e.server.Skill; s != nil {
		data.Sections, data.When = s.Sections, s.When
		for _, line := range s.Sections {
			for _, c := range line.Commands {
				if words := strings.Fields(c.Value); len(words) > 1 {
					sections[words[1]] = true
				}
			}
		}
	}
	shown := map[string]bool{}
	for _, t := range e.listed() {
		shown[t.Name] = true
	}
	for _, t := range e.set.Tools {
		if t.Builtin != "" {
			delete(shown, t.Name) // it reveals tools, and verbs need no revealing
		}
	}
	byArea := map[string][]skillVerb{}
	for _, v := range e.set.Commands() {
		if shown[v.Tool] && !sections[v.Name] {
			byArea[v.Group] = append(byArea[v.Group], skillVerb{Line: e.server.Program + " " + usage(v), Short: v.Short})
		}
	}
	for _, a := range e.set.Areas {
		if verbs := byArea[a.Name]; len(verbs) > 0 {
			data.Groups = append(data.Groups, skillGroup{a.Name, verbs})
		}
	}
	return render("SKILL.md", data)
}

// usage is the line of a verb without its optional flags, which help lists.
func usage(v command.Verb) string { return strings.TrimSuffix(v.Usage(), " [flags]") }

// installData is the data of the template of INSTALL.md.
type installData struct {
	Server               *model.Server
	Command              string // a shell's words that start the server
	Config, VSCodeConfig string
	CursorLink, VSLink   string
}

// install says how to add the server to each client, with the links that buttons need.
func (e emitter) install() ([]byte, error) {
	start := e.launch()
	config, err := encode(e.clientConfig("mcpServers"))
	if err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	vscode, err := encode(e.vscodeConfig())
	if err != nil {
		return nil, fmt.Errorf("write the configuration of VS Code: %w", err)
	}
	one, err := json.Marshal(start)
	if err != nil {
		return nil, fmt.Errorf("write the link of Cursor: %w", err)
	}
	named, err := json.Marshal(struct {
		Name string `json:"name"`
		launch
	}{e.configName(), start})
	if err != nil {
		return nil, fmt.Errorf("write the link of VS Code: %w", err)
	}
	return render("INSTALL.md", installData{
		Server: e.server, Command: strings.Join(append([]string{start.Command}, start.Args...), " "),
		Config: string(config), VSCodeConfig: string(vscode),
		CursorLink: "cursor://anysphere.cursor-deeplink/mcp/install?name=" + url.QueryEscape(e.configName()) + "&config=" +
			url.QueryEscape(base64.StdEncoding.EncodeToString(one)),
		VSLink: "vscode:mcp/install?" + url.QueryEscape(string(named)),
	})
}

func render(name string, data any) ([]byte, error) {
	t, err := template.ParseFS(layouts, "layout/"+name+".tmpl")
	if err != nil {
		return nil, fmt.Errorf("read the layout of %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	return b.Bytes(), nil
}
