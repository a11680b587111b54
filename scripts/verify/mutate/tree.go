package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/settings"
	"github.com/callsheet/callsheet/gen/spec"
)

// tree is a copy of the repository: the text of each file by its path from the root.
type tree map[string]string

// edit replaces the first from of a file by to. The other forms have constructors.
type edit struct {
	file, from, to string
	change         func(text string) (string, bool)
}

// replace makes a file of the text.
func replace(file, text string) edit {
	return edit{file: file, change: func(string) (string, bool) { return text, true }}
}

// add appends to a file, or begins it.
func add(file, text string) edit {
	return edit{file: file, change: func(was string) (string, bool) { return was + text, true }}
}

// remove deletes a file.
func remove(file string) edit { return edit{file: file} }

// removeEntry deletes a tool's entry from the file of the browser's area.
func removeEntry(tool string) edit {
	return edit{file: browserFile, change: func(text string) (string, bool) {
		from := strings.Index(text, "  - name: "+tool+"\n")
		if from < 0 {
			return text, false
		}
		rest := text[from+1:]
		if next := strings.Index(rest, "\n  - name: "); next >= 0 {
			return text[:from] + rest[next+1:], true
		}
		return text[:from], true
	}}
}

// inEntry replaces the first from inside a tool's entry.
func inEntry(file, tool, from, to string) edit {
	return edit{file: file, change: func(text string) (string, bool) {
		at := strings.Index(text, "  - name: "+tool+"\n")
		if at < 0 {
			return text, false
		}
		end := len(text)
		if next := strings.Index(text[at+1:], "\n  - name: "); next >= 0 {
			end = at + 1 + next
		}
		entry := text[at:end]
		changed := strings.Replace(entry, from, to, 1)
		return text[:at] + changed + text[end:], changed != entry
	}}
}

// inLock replaces the first from in the line of the lock that has a mark.
func inLock(mark, from, to string) edit {
	return edit{file: lockFile, change: func(text string) (string, bool) {
		at := strings.Index(text, mark)
		if at < 0 {
			return text, false
		}
		rest, after, _ := strings.Cut(text[at:], "\n")
		changed := strings.Replace(rest, from, to, 1)
		return text[:at] + changed + "\n" + after, changed != rest
	}}
}

// with returns a copy of the tree with the edits made. An edit that finds nothing is an error: the
// case has gone stale.
func (t tree) with(edits []edit) (tree, error) {
	out := maps.Clone(t)
	for _, e := range edits {
		was, there := out[e.file]
		switch {
		case e.change != nil:
			text, ok := e.change(was)
			if !ok {
				return nil, fmt.Errorf("%s has nothing to edit", e.file)
			}
			out[e.file] = text
		case e.from == "" && e.to == "":
			if !there {
				return nil, fmt.Errorf("%s is not there", e.file)
			}
			delete(out, e.file)
		case !strings.Contains(was, e.from):
			return nil, fmt.Errorf("%s has no %q to edit", e.file, e.from)
		default:
			out[e.file] = strings.Replace(was, e.from, e.to, 1)
		}
	}
	return out, nil
}

// generated is the tree that a plan makes of this one: what is not planned goes.
func (t tree) generated(plan *output.Plan) tree {
	out := maps.Clone(t)
	maps.DeleteFunc(out, func(name, _ string) bool { return strings.HasPrefix(name, gen.Generated+"/") })
	for _, f := range plan.Files {
		out[gen.Generated+"/"+f.Path] = string(f.Data)
	}
	return out
}

// differs lists the files that another tree has otherwise, or that only one of the two has.
func (t tree) differs(other tree) []string {
	var out []string
	for name, text := range t {
		if was, ok := other[name]; !ok || was != text {
			out = append(out, name)
		}
	}
	for name := range other {
		if _, ok := t[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// source returns the files of the tree as the compiler's input.
func (t tree) source(module string) gen.Source {
	src := gen.Source{Module: module}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		src.Add(spec.File{Name: name, Data: []byte(t[name])})
	}
	if layouts, diags := settings.Read(src.Settings); src.Settings != nil && !diags.HasErrors() {
		src.Layout = layouts[0]
	}
	return src
}

// readTree reads what the compiler depends on, and what it generates.
func readTree(root string) (t tree, module string, err error) {
	src, err := gen.Load(root)
	if err != nil {
		return nil, "", err
	}
	t = tree{}
	for _, f := range src.All() {
		t[f.Name] = string(f.Data)
	}
	err = filepath.WalkDir(filepath.Join(root, gen.Generated), func(full string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, full)
		t[filepath.ToSlash(name)] = string(data)
		return err
	})
	return t, src.Module, err
}
