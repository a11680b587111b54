package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/joho/godotenv"
)

// Environment returns the lookup of variables: those of the process, then those of the .env files
// of a directory. In order of precedence the files are .env.MODE.local, .env.MODE, .env.local and
// .env. MODE is NODE_ENV of the process; without it only the last two files are read. Missing files
// are ignored.
func Environment(dir string, process Lookup) (Lookup, error) {
	names := []string{".env", ".env.local"}
	if mode, _ := process("NODE_ENV"); mode != "" && !strings.ContainsAny(mode, `/\`) {
		names = append(names, ".env."+mode, ".env."+mode+".local")
	}
	vars := map[string]string{}
	for _, name := range names {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the variables of %s: %w", path, err)
		}
		values, err := godotenv.UnmarshalBytes(bytes.TrimPrefix(data, []byte("\ufeff")))
		if err != nil { // err may quote a line of the file
			return nil, fmt.Errorf("%s is no dotenv file of NAME=value lines", path)
		}
		maps.Copy(vars, values)
	}
	return func(name string) (string, bool) {
		if v, ok := process(name); ok {
			return v, true
		}
		v, ok := vars[name]
		return v, ok
	}, nil
}
