package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// sizes are numbers of lines or methods by the name of what has them.
type sizes map[string]int

type size struct {
	name string
	n    int
}

func (s sizes) total() (n int) {
	for _, of := range s {
		n += of
	}
	return n
}

// sorted lists the sizes, the largest first.
func (s sizes) sorted() []size {
	var out []size
	for name, n := range s {
		out = append(out, size{name, n})
	}
	slices.SortFunc(out, func(a, b size) int { return cmp.Or(b.n-a.n, strings.Compare(a.name, b.name)) })
	return out
}

func (s sizes) largest() size { return append(s.sorted(), size{})[0] }

// from describes the sizes of n and more.
func (s sizes) from(n int) (out []string) {
	for _, of := range s.sorted() {
		if of.n >= n {
			out = append(out, fmt.Sprintf("%7d  %s", of.n, of.name))
		}
	}
	return out
}

// printTree prints the lines of each directory of two levels, or three below internal/, with those below them.
func printTree(byPackage sizes) {
	const perLevel = 2
	below := sizes{}
	for _, dir := range slices.Sorted(maps.Keys(byPackage)) {
		parts := strings.Split(dir, "/")
		depth := perLevel
		if parts[0] == "internal" {
			depth++
		}
		for i := 1; i <= min(depth, len(parts)); i++ {
			below[strings.Join(parts[:i], "/")] += byPackage[dir]
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(below)) {
		fmt.Printf("%7d  %s%s\n", below[dir], strings.Repeat("  ", strings.Count(dir, "/")), dir)
	}
}

// method is a method of a type.
type method struct{ receiver, name string }

func methods(file *ast.File) (out []method) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		typ := f.Recv.List[0].Type
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		switch generic := typ.(type) {
		case *ast.IndexExpr:
			typ = generic.X
		case *ast.IndexListExpr:
			typ = generic.X
		}
		if id, ok := typ.(*ast.Ident); ok {
			out = append(out, method{id.Name, f.Name.Name})
		}
	}
	return out
}
