package workflow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/definition"
)

// serversFile is the name of the server configuration in the workflow directory.
const serversFile = "servers.json"

// stamp identifies the version of a file.
type stamp struct {
	name     string
	size     int64
	modified time.Time
}

// foundFiles are the files of a workflow directory, as they were before they were read.
type foundFiles struct {
	workflows []stamp // sorted by name
	servers   string  // the path of servers.json, or "" without one
	config    stamp   // of servers.json
}

// equals reports whether nothing has changed between two looks.
func (f foundFiles) equals(o foundFiles) bool {
	return f.sameServers(o) && slices.Equal(f.workflows, o.workflows)
}

func (f foundFiles) sameServers(o foundFiles) bool {
	return f.servers == o.servers && f.config == o.config
}

// findFiles finds the YAML files at a path, and servers.json beside them.
func findFiles(path string) (foundFiles, error) {
	info, err := os.Stat(path)
	if err != nil {
		return foundFiles{}, fmt.Errorf("open the workflows: %w", err)
	}
	var out foundFiles
	dir := path
	if info.IsDir() {
		if out.workflows, err = findYAML(path); err != nil {
			return foundFiles{}, fmt.Errorf("open the workflows: %w", err)
		}
		if len(out.workflows) == 0 {
			return foundFiles{}, fmt.Errorf("open the workflows: no .yaml file in %s", path)
		}
	} else {
		dir, out.workflows = filepath.Dir(path), []stamp{{path, info.Size(), info.ModTime()}}
	}
	servers := filepath.Join(dir, serversFile)
	switch info, err := os.Stat(servers); {
	case err == nil:
		out.servers, out.config = servers, stamp{servers, info.Size(), info.ModTime()}
	case !errors.Is(err, fs.ErrNotExist):
		out.servers = servers // opening it says why it cannot be read
	}
	return out, nil
}

// findYAML finds the YAML files below a directory.
func findYAML(path string) ([]stamp, error) {
	var out []stamp
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch ext := strings.ToLower(filepath.Ext(name)); {
		case err != nil:
			return err
		case d.IsDir() && name != path && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.IsDir() && (ext == ".yaml" || ext == ".yml"):
			info, err := os.Stat(name) // of what a link leads to
			if err != nil {
				return err
			}
			out = append(out, stamp{name, info.Size(), info.ModTime()})
		}
		return nil
	})
	return out, err
}

// load reads and parses the workflow files.
func (f foundFiles) load() (*definition.Definitions, error) {
	files := make([]yamltree.File, 0, len(f.workflows))
	for _, w := range f.workflows {
		data, err := os.ReadFile(w.name)
		if err != nil {
			return nil, fmt.Errorf("open the workflows: %w", err)
		}
		files = append(files, yamltree.File{Name: filepath.ToSlash(w.name), Data: data})
	}
	return definition.Load(files), nil
}
