package callsheet_test

import (
	"bytes"
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
	"testing"
)

const (
	noticesFile = "THIRD_PARTY_NOTICES"
	// noticesVariable asks the test to write the file; see make notices.
	noticesVariable = "CALLSHEET_WRITE_NOTICES"
)

// TestThirdPartyNotices compares the licences of all modules that the program links, on any system that it
// is built for, with the file that goes with it.
func TestThirdPartyNotices(t *testing.T) {
	t.Parallel()
	text := notices(t)
	if os.Getenv(noticesVariable) != "" {
		if err := os.WriteFile(noticesFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(noticesFile)
	if err != nil || !bytes.Equal(have, text) {
		t.Errorf("%s does not tell the licences of the linked modules (%v); run: make notices", noticesFile, err)
	}
}

type linkedModule struct{ Path, Version, Dir string }

// notices returns the text of the file: each licence with the modules that have it.
func notices(t *testing.T) []byte {
	t.Helper()
	modules := map[string]linkedModule{}
	for _, system := range []string{"linux", "windows", "darwin"} {
		for _, m := range linkedModules(t, system) {
			modules[m.Path] = m
		}
	}
	byText := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		text := licenceOf(t, m)
		byText[text] = append(byText[text], m.Path+" "+m.Version)
	}
	name, text := embeddedAxe(t)
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
	return b.Bytes()
}

// embeddedAxe returns name and version of the accessibility engine that the program embeds, and its licences.
func embeddedAxe(t *testing.T) (name, text string) {
	t.Helper()
	var texts []string
	for _, file := range []string{"VERSION", "LICENSE", "LICENSE-3RD-PARTY.txt"} {
		text, err := os.ReadFile(filepath.Join("internal/engine/audit/axe", file))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.TrimSpace(string(text)))
	}
	name, _, _ = strings.Cut(texts[0], "\n")
	return name, strings.Join(texts[1:], "\n\n")
}

// linkedModules lists the modules that the program has on a system.
func linkedModules(t *testing.T, system string) (out []linkedModule) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Module", "./cmd/callsheet")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	listed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(listed))
	for {
		var p struct {
			Module *struct {
				linkedModule
				Main bool
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module != nil && !p.Module.Main && p.Module.Path != module+"/gen" {
			out = append(out, p.Module.linkedModule)
		}
	}
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright)([.-].*)?$`)

// licenceOf returns the licence and notice files of a module.
func licenceOf(t *testing.T, m linkedModule) string {
	t.Helper()
	files, err := os.ReadDir(m.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, f := range files {
		if !licenceName.MatchString(f.Name()) || f.IsDir() || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	if len(texts) == 0 {
		t.Errorf("%s has no licence file", m.Path)
	}
	return strings.Join(texts, "\n\n")
}
