package golang_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// Helper is a file of package toolkit that planted code needs.
const Helper = `package toolkit

import "strconv"

var (
	plantedBug string
	replant    []func()
)

// Plant gives the process a bug: from 1, the index in Planter.Bugs plus one. 0 is none.
func Plant(bug int) {
	plantedBug = strconv.Itoa(bug)
	for _, f := range replant {
		f()
	}
}

// OnPlant has f called for each bug, to make a variable again.
func OnPlant(f func()) { replant = append(replant, f) }

// Planted reports whether the process has the bug.
func Planted(bug string) bool { return bug == plantedBug }

// PlantedValue returns right, or wrong where the process has the bug.
func PlantedValue[T any](bug string, right, wrong T) T {
	if Planted(bug) {
		return wrong
	}
	return right
}

// ReadNullPlanted is ReadNull, which refuses null where the process has the bug.
func ReadNullPlanted[T any](bug string, a *Args, read func() T) Null[T] {
	if Planted(bug) {
		return NotNull(read())
	}
	return ReadNull(a, read)
}
`

// Bug is one mistake.
type Bug struct {
	Kind string // what of a parameter is no longer checked, one of Kinds
	What string // where, and how
}

// Planter plants bugs and numbers them.
type Planter struct {
	Tag  string // the member that tells the variants of each union apart
	Bugs []Bug  // those that are planted
}

// Kinds lists the kinds of bugs, each of which is planted at least once in code with every kind of parameter.
func Kinds() []string {
	out := []string{
		"enum", "integer enum", "format", "pattern", "length", "minimum", "maximum", "items", "members", "member names",
		"required", "requirement", "name", "unknown name", "null", "duplicate", "old name", "offered names",
	}
	for _, b := range toolkitBugs() {
		out = append(out, b.kind)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// add numbers a bug.
func (p *Planter) add(kind, what string, args ...any) string {
	p.Bugs = append(p.Bugs, Bug{kind, fmt.Sprintf(what, args...)})
	return strconv.Quote(strconv.Itoa(len(p.Bugs)))
}

// Generated plants bugs in a generated file: each limit is lost, or off by one, each value of an enum is missing or one is
// too many, each required member and each requirement is not asked for, each name is not known, and unknown ones are taken.
func (p *Planter) Generated(path string) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	file.Comments = nil // they would stand in wrong places
	g := generated{Planter: p, set: set}
	astutil.Apply(file, nil, func(c *astutil.Cursor) bool {
		if g.failure == nil {
			g.visit(c)
		}
		return true
	})
	if g.failure != nil {
		return nil, g.failure
	}
	var out bytes.Buffer
	if err := format.Node(&out, set, file); err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		for i := 0; ok && decl.Tok == token.VAR && i < len(decl.Specs); i++ {
			v := decl.Specs[i].(*ast.ValueSpec)
			if len(v.Values) == 1 && strings.Contains(g.text(v.Values[0]), "toolkit.Planted") {
				fmt.Fprintf(&out, "\nfunc init() { toolkit.OnPlant(func() { %s = %s }) }\n", v.Names[0].Name, g.text(v.Values[0]))
			}
		}
	}
	return out.Bytes(), g.failure
}

// Toolkit plants bugs in a file of package toolkit, and returns the planted text.
func (p *Planter) Toolkit(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text := string(data)
	for _, b := range toolkitBugs() {
		if b.file != filepath.Base(path) {
			continue
		}
		if strings.Count(text, b.old) != 1 {
			return nil, fmt.Errorf("%s has %q %d times, not once", path, b.old, strings.Count(text, b.old))
		}
		number := p.add(b.kind, "%s: %s", b.file, b.what)
		text = strings.Replace(text, b.old, strings.NewReplacer("NUMBER", number, "BUG", "Planted("+number+")").Replace(b.new), 1)
	}
	return []byte(text), nil
}

// ToolkitFiles lists the files of package toolkit that bugs are planted in.
func ToolkitFiles() (out []string) {
	for _, b := range toolkitBugs() {
		if !slices.Contains(out, b.file) {
			out = append(out, b.file)
		}
	}
	return out
}
