package compile

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/callsheet/callsheet/internal/site/compiled"
)

//go:embed starter
var starter embed.FS

// New writes the first files of a site into a directory, which it makes, and returns their names. Nothing
// is overwritten: where one of the files is there, nothing is written.
func New(dir string) ([]string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("begin a site: %w", err)
	}
	name := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(filepath.Base(full)), "_")
	if name = strings.Trim(name, "_0123456789"); name == "" {
		name = compiled.Scope
	}
	texts := map[string][]byte{}
	var names []string
	err = fs.WalkDir(starter, "starter", func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := starter.ReadFile(at)
		to := strings.TrimPrefix(at, "starter/")
		texts[to], names = []byte(strings.ReplaceAll(string(text), "NAME\n", name+"\n")), append(names, to)
		if _, there := os.Lstat(filepath.Join(dir, filepath.FromSlash(to))); there == nil {
			err = errors.Join(err, fmt.Errorf("begin a site: %s is there already", filepath.Join(dir, to)))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, to := range names {
		path := filepath.Join(dir, filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, fmt.Errorf("begin a site: %w", err)
		}
		if err := os.WriteFile(path, texts[to], 0o644); err != nil {
			return nil, fmt.Errorf("begin a site: %w", err)
		}
	}
	return names, nil
}
