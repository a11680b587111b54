package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/repotest"
)

// inOrder lists the files of a measurement in reading order.
func inOrder(ran map[string]int) []string {
	return slices.SortedFunc(maps.Keys(ran), func(a, b string) int { return slices.Compare(place(a), place(b)) })
}

// place returns the key that files are sorted by: layers from the top down, handlers below the composition root.
func place(file string) []string {
	dir := path.Dir(file)
	row, layer := 0, 0
	for i, names := range repotest.Layers {
		for _, name := range names {
			if dir == name || strings.HasPrefix(dir, name+"/") {
				row = i + 1
			}
		}
		if row == 0 && strings.HasPrefix(dir, "tools") && slices.Contains(names, "internal/app") {
			row = i + 1
		}
	}
	if inner, ok := strings.CutPrefix(dir, "internal/engine/"); ok {
		_, layer = repotest.Row(repotest.EngineLayers, inner)
		layer++
	}
	return []string{fmt.Sprintf("%03d %03d", row, layer), dir, file}
}

var link = regexp.MustCompile("`((?:internal|tools)/[^`]+\\.go)`")

// compare holds the files against the list of architecture.md.
func compare(tool string, files []string) error {
	page, err := architecture()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	listed, found := within(string(text), "<!-- walk "+tool+" -->", "<!-- /walk -->")
	if !found {
		return fmt.Errorf("%s has no list between <!-- walk %s --> and <!-- /walk -->", page, tool)
	}
	var errs []error
	named := map[string]bool{}
	for _, m := range link.FindAllStringSubmatch(listed, -1) {
		if named[m[1]] = true; !slices.Contains(files, m[1]) {
			errs = append(errs, fmt.Errorf("%s lists %s, which does not run", page, m[1]))
		}
	}
	for _, file := range files {
		if !named[file] {
			errs = append(errs, fmt.Errorf("%s does not list %s", page, file))
		}
	}
	return errors.Join(errs...)
}

// architecture returns the path of architecture.md.
func architecture() (page string, err error) {
	err = filepath.WalkDir("docs", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "architecture.md" {
			page = file
		}
		return err
	})
	if err == nil && page == "" {
		err = errors.New("docs has no architecture.md")
	}
	return page, err
}
