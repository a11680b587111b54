package source

import (
	"cmp"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/site/compiled"
)

// Load reads the site of a directory. Mistakes in the files are diagnostics; the error is about files
// that cannot be read. The site holds what could be read, and is nil without site.yaml.
func Load(dir string) (*Site, diag.List, error) {
	sources, err := compiled.Sources(dir)
	if err != nil {
		return nil, nil, err
	}
	files := make([]spec.File, len(sources))
	for i, f := range sources {
		files[i] = spec.File{Name: path.Join(filepath.ToSlash(dir), f.Name), Data: f.Data}
	}
	site, diags := Parse(dir, files)
	return site, diags, nil
}

// Parse is Load of files, which are named below the directory.
func Parse(dir string, files []spec.File) (*Site, diag.List) {
	var diags diag.List
	root := path.Join(filepath.ToSlash(dir), compiled.RootFile)
	i := slices.IndexFunc(files, func(f spec.File) bool { return f.Name == root })
	if i < 0 {
		diags.Errorf(diag.Pos{File: root}, ruleFile, "there is no %s, and a site begins there", compiled.RootFile).Hint = "begin one: callsheet site new DIR"
		return nil, diags
	}
	s := &Site{Dir: dir, Files: files, Parameters: &param.Object{}, Tree: &spec.Tree{Root: root}}
	s.readRoot(files[i], &diags)
	for _, f := range files {
		if f.Name == root {
			continue
		}
		if t := readTool(f, &diags); t != nil {
			s.addTool(t, &diags)
		}
	}
	if len(files) == 1 {
		diags.Errorf(diag.Pos{File: root}, ruleFile, "the site has no tools").Hint = "a tool is a file such as " + compiled.ToolsDir + "/search.yaml"
	}
	return s, diags
}

// addTool adds a tool whose name is free.
func (s *Site) addTool(t *Tool, diags *diag.List) {
	name := t.Entry.Name
	if first := s.Tool(name.Value); first != nil {
		d := diags.Errorf(name.Pos, ruleFile, "tool %q is in two files", name.Value)
		d.Hint, d.Related = "rename one of the two", &diag.Related{Pos: first.Entry.Name.Pos, Message: "first written here"}
		return
	}
	if stem := strings.TrimSuffix(path.Base(t.File), path.Ext(t.File)); stem != name.Value {
		diags.Errorf(name.Pos, ruleFile, "tool %q is in file %s", name.Value, path.Base(t.File)).Hint =
			"call the file " + name.Value + ".yaml, so that the tool is found by its name"
	}
	s.Tools = append(s.Tools, t)
}

// shared lists the keys that site.yaml shares with a manifest.
func sharedKeys() []string {
	return []string{"version", "clients", "cli", "server", "capabilities", "invariants", "events", "scenarios", "scopes", "types", "surfaces", "list_bytes",
		"default_list_bytes", "list_output_schemas", "initialisms"}
}

func (s *Site) readRoot(f spec.File, diags *diag.List) {
	doc, more := spec.ReadDocument(f, "a site")
	*diags = append(*diags, more...)
	if doc == nil || doc.Root == nil {
		return
	}
	r := newReader(doc, diags)
	if doc.Root.Kind != yamltree.MappingNode {
		r.Errorf(doc.Root.Pos, ruleKind, "a site must be a mapping, not %s", doc.Root.Kind)
		return
	}
	own := map[string]key{
		"name": r.text(&s.Name), "title": r.text(&s.Title), "description": r.text(&s.Description), "origins": r.texts(&s.Origins),
		"parameters": r.object(&s.Parameters, "parameters"), "secrets": r.texts(&s.Secrets), "facts": r.facts(&s.Facts),
	}
	part := spec.Part{Keys: sharedKeys(), Required: []string{"version", "name", "origins"}}
	for name := range own {
		part.Own = append(part.Own, name)
	}
	slices.Sort(part.Own)
	s.Tree, more = spec.ReadRoot(doc, doc.Root, "the site", part)
	*diags = append(*diags, more...)
	for _, m := range doc.Root.Members {
		if read := own[m.Key.Value]; read != nil {
			read(m.Key, m.Value)
		}
	}
	if s.Name.Set() && !isToolName(s.Name.Value) {
		r.Errorf(s.Name.Pos, ruleName, "%q is no name for a site", s.Name.Value).Hint = "a name is a small letter, then small letters, digits and _"
	}
	for _, o := range s.Origins {
		s.checkOrigin(r, o)
	}
}

func (s *Site) checkOrigin(r *reader, o spec.Text) {
	u, err := url.Parse(o.Value)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		d := r.Errorf(o.Pos, ruleOrigin, "%q is no origin", o.Value)
		d.Hint = "an origin is a scheme and a host, such as https://shop.example"
		if err == nil && u.Host != "" && u.Scheme != "" {
			d.Hint = "write " + u.Scheme + "://" + u.Host
		}
	}
}

// object reads a property mapping with the manifest's parser.
func (r *reader) object(dst **param.Object, what string) key {
	return func(_ spec.Text, n *yamltree.Node) {
		if n.Kind != yamltree.MappingNode {
			r.Errorf(n.Pos, ruleKind, "%s must be a mapping, not %s", what, n.Kind)
			return
		}
		in, diags := paramspec.Read(r.doc, n)
		*r.Diags = append(*r.Diags, diags...)
		if in != nil {
			o, more := paramspec.Resolve(param.GoName(what), in)
			*r.Diags = append(*r.Diags, more...)
			*dst = o
		}
	}
}

func (r *reader) facts(dst *[]*Fact) key {
	return func(k spec.Text, n *yamltree.Node) {
		if n.Kind != yamltree.MappingNode {
			r.Wrong(k, n, "a mapping of facts")
			return
		}
		for _, m := range n.Members {
			f := &Fact{Name: m.Key}
			r.Fields(m.Value, "fact "+quoted(m.Key), map[string]key{
				"description": r.text(&f.Description), "event": r.event(f), "observe": r.observation(&f.Observe),
			})
			if f.Observe == nil && m.Value.Member("observe") == nil {
				r.Errorf(m.Key.Pos, ruleFact, "fact %q has no observe, so nothing can tell whether it holds", m.Key.Value).Hint =
					"add observe: {element: {role: link, name: …}}, or {url: /path/*}"
			}
			*dst = append(*dst, f)
		}
	}
}

func (r *reader) event(f *Fact) key {
	return func(_ spec.Text, n *yamltree.Node) {
		f.EventPos = n.Pos
		switch word := n.Text.Value; {
		case n.Kind == spec.BoolLiteral && n.Bool, word == string(EventBoth):
			f.Event = EventBoth
		case n.Kind == spec.BoolLiteral:
		case word == string(EventSet), word == string(EventClear):
			f.Event = Event(word)
		default:
			r.Errorf(n.Pos, ruleFact, "event cannot be %q", word).Hint =
				cmp.Or(diag.DidYouMean(word, []string{"true", "both", "sets", "clears"}), "one of true, sets, clears: how the page changes the fact without a call")
		}
	}
}

func quoted(t spec.Text) string { return `"` + t.Value + `"` }

// isToolName reports whether a text is a small letter, then small letters, digits and _.
func isToolName(s string) bool { return isName(s) && s == strings.ToLower(s) && s[0] != '_' }
