// Package notices writes the licences of the modules that the programs link, on any system that they are built for.
// It must not know what a release consists of.
package notices

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// File is the name of the text in archives and packages.
const File = "THIRD_PARTY_NOTICES"

// project is the path that the modules of this repository begin with.
const project = "github.com/callsheet/callsheet"

type linkedModule struct{ Path, Version, Dir string }

// Text returns each licence after the modules that have it, for the programs in cmd/ of the checkout in root. A module
// without a licence is an error.
func Text(ctx context.Context, root string) ([]byte, error) {
	modules := map[string]linkedModule{}
	for _, system := range []string{"linux", "windows", "darwin"} {
		linked, err := linkedModules(ctx, root, system)
		if err != nil {
			return nil, err
		}
		for _, m := range linked {
			modules[m.Path] = m
		}
	}
	byText := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		text, err := licenceOf(m)
		if err != nil {
			return nil, err
		}
		byText[text] = append(byText[text], m.Path+" "+m.Version)
	}
	name, text, err := embeddedAxe(root)
	if err != nil {
		return nil, err
	}
	byText[text] = append(byText[text], name)
	texts := slices.SortedFunc(maps.Keys(byText), func(a, b string) int { return strings.Compare(byText[a][0], byText[b][0]) })
	var b bytes.Buffer
	fmt.Fprintf(&b, "Callsheet links the %d modules below. Their licences follow, each after the modules that have it.\n"+
		"The source of each is at the address that its name is. Modules under the Mozilla Public License 2.0 (River)\n"+
		"are linked unchanged. It embeds %s, under the same licence and unchanged, from the npm package of\n"+
		"that name. This file is written by: make notices\n", len(modules), name)
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(byText[text], "\n"), strings.TrimSpace(text))
	}
	return b.Bytes(), nil
}

// embeddedAxe returns name and version of the accessibility engine that the server embeds, and its licences.
func embeddedAxe(root string) (name, text string, err error) {
	var texts []string
	for _, file := range []string{"VERSION", "LICENSE", "LICENSE-3RD-PARTY.txt"} {
		text, err := os.ReadFile(filepath.Join(root, "internal/engine/audit/axe", file))
		if err != nil {
			return "", "", err
		}
		texts = append(texts, strings.TrimSpace(string(text)))
	}
	name, _, _ = strings.Cut(texts[0], "\n")
	return name, strings.Join(texts[1:], "\n\n"), nil
}

// linkedModules lists the modules that the programs have on a system.
func linkedModules(ctx context.Context, root, system string) (out []linkedModule, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", "./cmd/...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	listed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the linked modules on %s: %w", system, err)
	}
	for dec := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p struct{ Module *linkedModule }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("list the linked modules on %s: %w", system, err)
		}
		if p.Module != nil && p.Module.Path != project && !strings.HasPrefix(p.Module.Path, project+"/") {
			out = append(out, *p.Module)
		}
	}
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright)([.-].*)?$`)

// licenceOf returns the licence and notice files of a module.
func licenceOf(m linkedModule) (string, error) {
	files, err := os.ReadDir(m.Dir)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, f := range files {
		if !licenceName.MatchString(f.Name()) || f.IsDir() || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, f.Name()))
		if err != nil {
			return "", err
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("%s has no licence file", m.Path)
	}
	return strings.Join(texts, "\n\n"), nil
}
