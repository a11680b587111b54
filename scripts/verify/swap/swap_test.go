// Package swap_test has handlers of one area run each other's body where that compiles, pair by pair,
// and runs the tests of that area that name one of the two tools. Where only one of two handlers
// compiles with the body of the other, only that one is changed. A pair for which no test fails is a
// survivor.
//
// Each area is compiled once: its test program has the exchanged bodies beside the handlers, and an
// environment variable chooses the pair. The files of the repository stay as they are.
package swap_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leastSwaps is how many pairs a whole run must try: a search that finds none proves nothing.
const leastSwaps = 100

var (
	run  = flag.Bool("swaps", false, "exchange handlers; scripts/verify/swaps says so")
	list = flag.Bool("list", false, "print the pairs and the tests, and run none")
	tool = flag.String("tool", "", "try only pairs with this `tool`")
)

func TestSwaps(t *testing.T) {
	if !*run {
		t.Skip("scripts/verify/swaps exchanges handlers")
	}
	t.Chdir("../../..")
	n, err := swapAreas(flag.Args())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("handlers=%d pairs=%d not-compiling=%d swaps=%d one-way=%d survivors=%d\n",
		n.handlers, n.pairs, n.pairs-n.swaps-n.oneWay, n.swaps, n.oneWay, n.survivors)
	if n.survivors > 0 {
		t.Errorf("%d pairs for which no test fails", n.survivors)
	}
	if *tool == "" && flag.NArg() == 0 && n.swaps+n.oneWay < leastSwaps {
		t.Errorf("%d pairs, fewer than %d", n.swaps+n.oneWay, leastSwaps)
	}
}

// total counts what the areas have.
type total struct{ handlers, pairs, swaps, oneWay, survivors int }

// swapAreas tries the pairs of areas; no name is every area.
func swapAreas(names []string) (n total, err error) {
	if len(names) == 0 {
		for _, dir := range glob("tools/*") {
			if name := filepath.Base(dir); len(glob("generated/toolset/"+name+"api")) > 0 {
				names = append(names, name)
			}
		}
	}
	areas, err := loadAreas(names)
	if err != nil {
		return n, err
	}
	for _, a := range areas {
		if err := n.add(a); err != nil {
			return n, fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return n, nil
}

// add tries the pairs of an area.
func (n *total) add(a *area) error {
	all, err := a.compilable()
	if err != nil {
		return err
	}
	if *tool != "" {
		all = slices.DeleteFunc(all, func(x exchange) bool { return x.h.tool != *tool && x.body.tool != *tool })
	}
	h := len(a.handlers)
	n.handlers, n.pairs = n.handlers+h, n.pairs+h*(h-1)/2
	for _, x := range all {
		if x.both {
			n.swaps++
		} else {
			n.oneWay++
		}
	}
	fmt.Printf("%s: %d handlers, %d pairs, of which %d compile\n", a.name, h, h*(h-1)/2, len(all))
	if len(all) == 0 {
		return nil
	}
	tests, err := readTests(a.dir)
	if err != nil {
		return err
	}
	if *list {
		for _, x := range all {
			fmt.Printf("  %s: %s\n", x.title(), strings.Join(tests.naming(x.tools()...), " "))
		}
		return nil
	}
	program, done, err := a.build(all)
	if err != nil {
		return err
	}
	defer done()
	for _, x := range all {
		failed, err := program.refutes(x, tests.naming(x.tools()...))
		switch {
		case err != nil:
			return err
		case failed == "":
			n.survivors++
			fmt.Printf("SURVIVED %s\n", x.title())
		default:
			fmt.Printf("  %-56s %s\n", x.title(), failed)
		}
	}
	return nil
}

// glob lists the files of a pattern that is well formed.
func glob(pattern string) []string {
	files, _ := filepath.Glob(pattern)
	return files
}
