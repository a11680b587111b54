package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
		if err == nil {
			err = parseEnv(string(data), vars)
		}
		if err != nil {
			return nil, fmt.Errorf("read the variables of %s: %w", path, err)
		}
	}
	return func(name string) (string, bool) {
		if v, ok := process(name); ok {
			return v, true
		}
		v, ok := vars[name]
		return v, ok
	}, nil
}

// parseEnv reads NAME=value lines into vars. Values may be quoted: double quotes accept the escapes
// \n, \r, \t, \" and \\, single quotes and backticks none. Quoted values may span lines. An
// unquoted value ends at " #". Errors name the line but never the value.
func parseEnv(text string, vars map[string]string) error {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	for line := 1; text != ""; {
		head, _, _ := strings.Cut(text, "\n")
		trimmed := strings.TrimSpace(head)
		if trimmed == "" || trimmed[0] == '#' {
			text, line = afterLine(text, len(head)), line+1
			continue
		}
		name, _, ok := strings.Cut(head, "=")
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "export "))
		if !ok || !isName(name) {
			return fmt.Errorf("line %d is not NAME=value", line)
		}
		start := strings.IndexByte(head, '=') + 1
		for start < len(head) && (head[start] == ' ' || head[start] == '\t') {
			start++
		}
		value, length, err := envValue(text[start:])
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		vars[name] = value
		end := start + length
		line += strings.Count(text[:end], "\n") + 1
		end += len(firstLine(text[end:])) // skip a comment after a quoted value
		text = afterLine(text, end)
	}
	return nil
}

// envValue reads the value at the start of s and returns its length in bytes.
func envValue(s string) (string, int, error) {
	if s == "" || strings.IndexByte("\"'`", s[0]) < 0 {
		line := firstLine(s)
		value, _, _ := strings.Cut(line, " #")
		if strings.HasPrefix(value, "#") {
			value = ""
		}
		return strings.TrimSpace(value), len(line), nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == s[0]:
			return b.String(), i + 1, nil
		case c == '\\' && s[0] == '"' && i+1 < len(s) && strings.IndexByte(`nrt"\`, s[i+1]) >= 0:
			i++
			b.WriteByte(map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\'}[s[i]])
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, errors.New("the quote is not closed")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// afterLine returns the text after the line break at i, or "".
func afterLine(text string, i int) string { return strings.TrimPrefix(text[i:], "\n") }
