package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/remote"
)

// sideError is a side of a comparison that cannot be read.
type sideError struct{ error }

// readSide reads what one side offers.
func (c *comparison) readSide(cmd *cobra.Command, s *side) (*remote.Server, error) {
	src := remote.Source{Command: s.command}
	if s.command == nil {
		var err error
		if src, err = remote.Parse(s.source); err != nil {
			return nil, err
		}
	}
	if src.IsLive() {
		return remote.Read(cmd.Context(), src, remote.Options{Timeout: c.timeout, Header: s.header})
	}
	info, err := os.Stat(src.File)
	switch {
	case err == nil && info.IsDir():
		return offeredIn(src.File)
	case err == nil:
		data, err := os.ReadFile(src.File)
		if err != nil {
			return nil, err
		}
		return decodeSide(src.File, data)
	case strings.HasPrefix(src.File, "-"):
		return nil, fmt.Errorf("%q is neither a file nor a git ref", src.File)
	}
	if _, file, ok := strings.Cut(src.File, ":"); ok {
		data, err := c.git(cmd, "show", src.File)
		if err != nil {
			return nil, fmt.Errorf("no file %q, and git says: %w", src.File, err)
		}
		return decodeSide(file, data)
	}
	if path.Ext(src.File) == ".json" {
		return nil, fmt.Errorf("no file %q; a file at a git ref is GITREF:%s", src.File, src.File)
	}
	return c.offeredAt(cmd, src.File)
}

// git runs git in the directory of -C.
func (c *comparison) git(cmd *cobra.Command, args ...string) ([]byte, error) {
	git := exec.CommandContext(cmd.Context(), "git", append([]string{"-C", c.dir}, args...)...)
	var stderr bytes.Buffer
	git.Stderr = &stderr
	out, err := git.Output()
	if err != nil && stderr.Len() > 0 {
		return nil, fmt.Errorf("%s", strings.TrimSpace(stderr.String()))
	}
	return out, err
}

// decodeSide reads a list, or the record of a release: the tools of the latter have input and no inputSchema.
func decodeSide(name string, data []byte) (*remote.Server, error) {
	var shape struct {
		Version *string `json:"version"`
		Tools   []struct {
			Effects json.RawMessage `json:"effects"`
			Schema  json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if json.Unmarshal(data, &shape) == nil && shape.Version != nil && (len(shape.Tools) == 0 || shape.Tools[0].Schema == nil && shape.Tools[0].Effects != nil) {
		record, err := breaking.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		return record.Offered()
	}
	s, err := remote.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return s, nil
}

// offeredIn returns the lists of the server whose module is in a directory.
func offeredIn(dir string) (*remote.Server, error) {
	root, err := gen.FindModule(dir)
	if err != nil {
		return nil, err
	}
	src, err := gen.Load(root)
	if err != nil {
		return nil, err
	}
	return gen.Offered(src)
}

// offeredAt returns the lists of this module's server at a git ref.
func (c *comparison) offeredAt(cmd *cobra.Command, ref string) (*remote.Server, error) {
	root, now, err := c.load()
	if err != nil {
		return nil, fmt.Errorf("no file %q, and no manifest whose git ref it could be: %w", ref, err)
	}
	src, err := sourceAt(cmd, root, now, ref)
	if err != nil {
		return nil, err
	}
	return gen.Offered(src)
}
