package spec

import (
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// version is the one manifest version this compiler reads.
const version = 1

// rootArea is the area of tools that stand in the root file itself.
const rootArea = "tools"

// Parse reads the root file and, out of files, everything it includes. It salvages: what is
// readable comes back as a tree beside the problems, so that one bad entry does not hide the next.
// The tree is nil only when the root cannot be read at all. Linear in the size of the text.
func Parse(root string, files []File) (*Tree, diag.List) {
	var diags diag.List
	byName := make(map[string]File, len(files))
	for _, f := range files {
		byName[f.Name] = f
	}
	f, ok := byName[root]
	if !ok {
		diags.Errorf(diag.Pos{File: root}, ruleBadInclude, "there is no such file, and a manifest begins there")
		return nil, diags
	}
	w, body := open(f, &diags)
	if body == nil {
		return nil, diags
	}
	t := &Tree{Root: root}
	var include []Text
	own := Area{Name: Text{Value: rootArea, Pos: diag.Pos{File: root}}, File: root}
	rootWalker{w}.root(body, t, &include, &own)
	read := map[string]bool{root: true}
	for _, name := range include {
		f, ok := rootWalker{w}.included(name, root, byName, read)
		t.Incomplete = t.Incomplete || f.Name == ""
		if ok {
			a, whole := area(name, f, &diags)
			t.Areas = append(t.Areas, a)
			t.Incomplete = t.Incomplete || !whole
		}
	}
	if len(own.Tools)+len(own.Prompts)+len(own.Resources) > 0 {
		t.Areas = append(t.Areas, own)
	}
	leftOver(files, read, &diags)
	return t, diags
}

// rootWalker reads the sections of the root file.
type rootWalker struct{ *walker }

// rootFields are the keys of the root file.
func (w rootWalker) rootFields(t *Tree, version *Scalar[int], include *[]Text, own *Area) []field {
	return append([]field{
		required("version", w.IntoInt(version)),
		optional("include", w.IntoTexts(include)),
		optional("server", w.server(&t.Server)),
		optional("cli", w.cli(&t.CLI)),
		optional("upstream", w.upstream(&t.Upstream)),
		required("capabilities", w.capabilities(&t.Capabilities)),
		optional("facts", w.facts(&t.Facts)),
		optional("powers", w.powers(&t.Powers)),
		optional("traits", w.traits(&t.Traits)),
		optional("addressed_by", w.IntoText(&t.AddressedBy)),
		optional("list_bytes", w.IntoInt(&t.ListBytes)),
		optional("default_list_bytes", w.IntoInt(&t.DefaultBytes)),
		optional("list", w.listStyle(&t.List)),
		optional("list_output_schemas", w.IntoBool(&t.ListOutputs)),
		optional("invariants", w.IntoTexts(&t.Invariants)),
		optional("events", w.events(&t.Events)),
		optional("scenarios", w.scenarios(&t.Scenarios)),
		required("scopes", w.scopes(&t.Scopes)),
		optional("profiles", w.profiles(&t.Profiles)),
		optional("types", w.types().IntoTypes(&t.Types)),
		optional("providers", w.IntoTexts(&t.Providers)),
		optional("not", w.types().IntoRefused(&t.Not)),
		optional("surfaces", w.surfaces(&t.Surfaces)),
		optional("initialisms", w.IntoTexts(&t.Initialisms)),
		optional("refusals", w.refusals(&t.Refusals)),
		optional("logging", w.IntoBool(&t.Logging)),
	}, w.areaFields(own, false, new(bool))...)
}

func (w rootWalker) root(n ast.Node, t *Tree, include *[]Text, own *Area) {
	var v Scalar[int]
	at := w.Pos(n)
	sections := map[string]bool{} // those of names, by whether they were read
	names := func(f field) field {
		sections[f.Name] = false
		read := f.Read
		f.Read = func(m member) {
			sections[f.Name] = yamltree.KindOf(m.Value) == "a mapping"
			read(m)
		}
		return f
	}
	fields := w.rootFields(t, &v, include, own)
	for i, f := range fields {
		switch f.Name {
		case "capabilities", "facts", "powers", "traits", "scenarios", "scopes", "surfaces", "refusals":
			fields[i] = names(f)
		}
	}
	keys := w.Fields(n, "the manifest", at, fields...)
	w.knownVersion(v)
	for name, read := range sections {
		written := slices.ContainsFunc(keys, func(k Text) bool { return k.Value == name })
		if required := name == "capabilities" || name == "scopes"; !read && (written || required) {
			t.Unread = append(t.Unread, name)
		}
	}
}

// included finds the file an include names; paths are relative to the root file. A file that is
// there and is not to be read again comes back with its name.
func (w rootWalker) included(name Text, root string, files map[string]File, read map[string]bool) (File, bool) {
	full := path.Join(path.Dir(root), name.Value)
	f, ok := files[full]
	switch {
	case read[full]:
		w.Errorf(name.Pos, ruleBadInclude, "%q is included twice", name.Value).Hint = "delete one of the two"
		return f, false
	case ok:
		read[full] = true
		return f, true
	}
	d := w.Errorf(name.Pos, ruleBadInclude, "there is no file %q", full)
	dir := path.Dir(root) + "/"
	if relative, ok := strings.CutPrefix(name.Value, dir); ok && hasFile(files, name.Value) {
		read[name.Value] = true // the include means this file, so it is not left over
		d.Hint = "the path begins at " + dir + ": " + relative
		d.Fix = diag.FixBy("write "+relative, diag.Replace(name.Pos, relative))
	} else if path.IsAbs(name.Value) || !strings.HasPrefix(full, dir) {
		d.Hint = "an include is a path below " + dir + " and relative to it, such as tools/page.yaml"
	} else if left := likely(full, fileNames(files, read)); d.Misspelt(name.Pos, strings.TrimPrefix(full, dir), trimmed(left, dir)) {
		read[dir+diag.Nearest(strings.TrimPrefix(full, dir), trimmed(left, dir))] = true // the include means it
	}
	return File{}, false
}

func hasFile(files map[string]File, name string) bool {
	_, ok := files[name]
	return ok
}

// likely lists the files that a path may have meant: their base names are near, wherever they are.
func likely(full string, files []string) []string {
	base := func(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }
	return slices.DeleteFunc(files, func(name string) bool {
		return base(name) != base(full) && diag.Nearest(base(full), []string{base(name)}) == ""
	})
}

func trimmed(names []string, prefix string) []string {
	return slicesx.List(names, func(name string) string { return strings.TrimPrefix(name, prefix) })
}

// fileNames lists the files that are not read, sorted.
func fileNames(files map[string]File, read map[string]bool) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		if !read[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// area reads an included file, which has tools, prompts or resources, and reports whether its lists could
// be read.
func area(include Text, f File, diags *diag.List) (Area, bool) {
	name := Text{Value: strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name)), Pos: include.Pos}
	out := Area{Name: name, File: f.Name}
	w, body := open(f, diags)
	if body == nil {
		return out, false
	}
	whole := hasMember(body, "tools") || hasEntries(body)
	w.Fields(body, "an area's file", w.Pos(body), w.areaFields(&out, !hasEntries(body), &whole)...)
	return out, whole
}

// leftOver warns of files beside the included ones that nothing includes: tools in them are
// silently not there.
func leftOver(files []File, read map[string]bool, diags *diag.List) {
	for _, f := range files {
		if !read[f.Name] {
			diags.Warnf(diag.Pos{File: f.Name, Line: 1, Col: 1}, RuleNotIncluded, "no include names this file, so nothing in it counts").Hint = "include it, or delete it"
		}
	}
}

func (w rootWalker) capabilities(dst *[]Capability) func(member) {
	return w.Each(func(m member) {
		c := Capability{Name: m.Key}
		w.Fields(m.Value, "capability "+quoted(m.Key), m.Key.Pos,
			required("title", w.IntoText(&c.Title)),
			required("description", w.IntoText(&c.Description)),
			optional("opt_in", w.IntoBool(&c.OptIn)))
		*dst = append(*dst, c)
	})
}

func (w rootWalker) facts(dst *[]Fact) func(member) {
	return w.Each(func(m member) {
		f := Fact{Name: m.Key}
		w.IntoText(&f.Description)(m)
		*dst = append(*dst, f)
	})
}

func (w rootWalker) events(dst *[]Event) func(member) {
	return w.Each(func(m member) {
		e := Event{Name: m.Key, Changes: Changes{Pos: m.Key.Pos}}
		w.Fields(m.Value, "event "+quoted(m.Key), m.Key.Pos,
			append(w.changes(&e.Changes), required("when", w.IntoText(&e.When)))...)
		*dst = append(*dst, e)
	})
}

// changes are the fields that say what happens to facts.
func (w *walker) changes(dst *Changes) []field {
	return []field{
		optional("sets", w.IntoTexts(&dst.Sets)),
		optional("clears", w.IntoTexts(&dst.Clears)),
		optional("may_set", w.IntoTexts(&dst.MaySet)),
		optional("may_clear", w.IntoTexts(&dst.MayClear)),
	}
}

func (w rootWalker) scenarios(dst *[]Scenario) func(member) {
	return w.Each(func(m member) {
		s := Scenario{Name: m.Key}
		w.IntoTexts(&s.Facts)(m)
		*dst = append(*dst, s)
	})
}

func (w rootWalker) scopes(dst *[]Scope) func(member) {
	return w.Each(func(m member) {
		s := Scope{Name: m.Key}
		w.Fields(m.Value, "scope "+quoted(m.Key), m.Key.Pos,
			required("status", w.IntoText(&s.Status)),
			required("since", w.IntoText(&s.Since)),
			optional("deferral_records", w.IntoBool(&s.Records)))
		*dst = append(*dst, s)
	})
}

func (w rootWalker) profiles(dst *[]Profile) func(member) {
	return w.Each(func(m member) {
		p := Profile{Name: m.Key}
		w.Fields(m.Value, "profile "+quoted(m.Key), m.Key.Pos,
			required("exclude_scopes", w.IntoTexts(&p.Exclude)))
		*dst = append(*dst, p)
	})
}

func quoted(t Text) string { return "\"" + t.Value + "\"" }
