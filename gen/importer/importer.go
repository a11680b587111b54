// Package importer writes a manifest of the tools that another server offers, and reports every
// decision: parts that were kept, changed, added or dropped, parts that only a person can decide, and why.
//
// It is pure: it neither asks a server nor writes a file. A schema that the manifest's grammar says
// exactly becomes an input there; any other stays as the server sends it, in the record.
package importer

import (
	"cmp"
	"fmt"
	"go/token"
	"strings"

	"github.com/callsheet/callsheet/gen/forward"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/upstream"
)

// rootFile is the root of a manifest, relative to the module.
const rootFile = "manifest/tools.yaml"

// Options say where the tools come from.
type Options struct {
	Upstream Upstream
}

// ProtocolEffects is the List.Effects that writes the defaults of the protocol, which assume the worst, for
// effects that the server does not state. Otherwise they are left for a person to decide.
const ProtocolEffects = "protocol"

// Upstream is the section upstream of the manifest. One of Command and URL is set; without one the section
// asks for it.
type Upstream struct {
	Command     []string
	Environment []string
	URL         string
	Headers     [][2]string
}

// Result is a manifest with the report.
type Result struct {
	Files     []spec.File // manifest files and the record, named relative to the module
	Decisions []Decision
}

// Import makes the manifest of a list. The same list makes the same manifest.
func Import(list upstream.List, opt Options) Result {
	m := &importer{opt: opt, assumeEffects: list.Effects == ProtocolEffects, names: map[string]string{}}
	var entries []string
	m.features(list)
	for _, t := range list.Tools {
		if t.NeedsTask() {
			m.decide(t.Name, "/execution/taskSupport", Dropped, reason{"the tool is not in the manifest", "the server runs it as a task alone, and forwarded calls are none",
				"call the server itself where you need it"})
			continue
		}
		entries = append(entries, m.entry(t))
	}
	area := areaOf(list)
	return Result{Decisions: m.decisions, Files: []spec.File{
		{Name: rootFile, Data: []byte(m.root(list, area))},
		{Name: "manifest/tools/" + area + ".yaml", Data: []byte("tools:\n" + strings.Join(entries, "\n"))},
		{Name: "manifest/" + forward.RecordName, Data: list.Record()},
	}}
}

// features reports what else the server offers.
func (m *importer) features(list upstream.List) {
	for _, f := range list.Features {
		m.decide("", "/"+f, Dropped, reason{f + " are not passed on", "the proxy forwards tools alone", "connect clients that need them to the server itself"})
	}
}

// core is the capability of every imported tool.
const core = "core"

type importer struct {
	opt           Options
	assumeEffects bool
	names         map[string]string // names in the manifest → those of the upstream
	decisions     []Decision
}

// reason says what a decision is, why it was made and what a person can do about it.
type reason struct{ what, why, todo string }

func (m *importer) decide(tool, path string, kind Kind, r reason) {
	m.decisions = append(m.decisions, Decision{Tool: tool, Path: path, Kind: kind, What: r.what, Why: r.why, Do: r.todo})
}

// areaOf names the file of the tools of a server.
func areaOf(list upstream.List) string {
	name := toName(cmp.Or(list.Name, "upstream"))
	if name == "" || token.IsKeyword(name) {
		name += "_tools"
	}
	return strings.TrimLeft(name, "_")
}

// root renders the root file.
func (m *importer) root(list upstream.List, area string) string {
	var b strings.Builder
	b.WriteString("# What the proxy serves: \"toolgen lint\" checks it, \"toolgen proxy\" serves it.\nversion: 1\n")
	fmt.Fprintf(&b, "include: [%s]\n\n", scalar("tools/"+area+".yaml"))
	b.WriteString("# The server that calls are passed to. manifest/upstream.json records what it offered.\n")
	b.WriteString(m.upstream())
	b.WriteString("\n# Groups of tools that whoever runs the proxy can switch on and off.\ncapabilities:\n")
	fmt.Fprintf(&b, "  %s: {title: Core, description: %s}\n", core, scalar("Tools of "+cmp.Or(list.Name, "the upstream")+"."))
	b.WriteString("\n# Sets of tools that releases promise. An open one changes freely.\nscopes:\n  default: {status: open, since: \"0.1.0\"}\n")
	return b.String()
}

// upstream renders the section upstream.
func (m *importer) upstream() string {
	u := m.opt.Upstream
	var lines []string
	list := func(key string, values []string) {
		if len(values) > 0 {
			quoted := slicesx.List(values, scalar)
			lines = append(lines, "  "+key+": ["+strings.Join(quoted, ", ")+"]")
		}
	}
	list("command", u.Command)
	list("environment", u.Environment)
	if u.URL != "" {
		lines = append(lines, "  url: "+scalar(u.URL))
	}
	if len(u.Headers) > 0 {
		lines = append(lines, "  headers:")
	}
	for _, h := range u.Headers {
		lines = append(lines, "    "+scalar(h[0])+": "+scalar(h[1]))
	}
	if len(lines) == 0 {
		m.decide("", "/upstream", Asked, reason{"the root file does not say where the server is", "a list of tools does not say it", "write command or url under upstream"})
		return "upstream: {} # ask: command or url\n"
	}
	return "upstream:\n" + strings.Join(lines, "\n") + "\n"
}
