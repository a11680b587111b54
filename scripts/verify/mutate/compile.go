package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// compile builds packages of the tree with the release tag and returns what Go's compiler said. The
// tree's files stand over those of the repository. A build that succeeds is an error.
func (v *verifier) compile(t tree, packages []string) ([]string, error) {
	overlay, err := v.overlay(t)
	if err != nil {
		return nil, err
	}
	args := append([]string{"build", "-tags", "release", "-overlay", overlay}, packages...)
	out, err := exec.Command("go", args...).CombinedOutput()
	if err == nil {
		return nil, errors.New("toolgen passes it, and it compiles")
	}
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		return nil, fmt.Errorf("run go build: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

// overlay writes the files of the tree that are not those of the repository, and the file that tells
// Go's compiler of them. A file that the tree lacks has an empty path there.
func (v *verifier) overlay(t tree) (string, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	files := map[string]string{}
	for i, name := range t.differs(v.plain) {
		if filepath.Ext(name) != ".go" {
			continue
		}
		at := filepath.Join(root, filepath.FromSlash(name))
		text, there := t[name]
		if !there {
			files[at] = ""
			continue
		}
		files[at] = filepath.Join(v.scratch, strconv.Itoa(i)+".go")
		if err := os.WriteFile(files[at], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		return "", err
	}
	file := filepath.Join(v.scratch, "overlay.json")
	return file, os.WriteFile(file, data, 0o600)
}
