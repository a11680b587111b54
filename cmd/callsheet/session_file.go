package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/mcpclient"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// sessionFile is the file that a person names to export or import a session. The tool knows files of the server's output
// directory alone, so that an export is moved from there: its cookies are readable.
type sessionFile struct {
	written string // name in the output directory; "" when nothing is exported
	out     string
}

// sessionFileOf returns the file of a call, whose arguments and --out become those of the tool.
func sessionFileOf(call *cmdline.Call) (f sessionFile, err error) {
	var args map[string]string
	if call.Verb.Name != "session" || json.Unmarshal(call.Args, &args) != nil {
		return f, nil
	}
	action, positional := args["action"], args["name"]
	switch {
	case action == "export" && args["path"] != "":
		return f, exit.Misuse(errors.New("--path is the file of an import; write session export --out FILE"))
	case action == "export" && call.Out == "" && positional == "":
		return f, exit.Misuse(errors.New("session export needs --out FILE"))
	case action == "export":
		f = sessionFile{written: "export-" + rand.Text() + ".json", out: call.Out}
		args["path"], call.Out = f.written, ""
		if f.out == "" {
			f.out = positional
			delete(args, "name")
		}
	case call.Out != "":
		return f, exit.Misuse(errors.New("--out is the file of an export"))
	case action == "import":
		if args["path"] == "" {
			args["path"] = positional
			delete(args, "name")
		}
		if path, err := filepath.Abs(args["path"]); err == nil && isFile(path) {
			args["path"] = path
		}
	}
	call.Args, err = json.Marshal(args)
	return f, err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// move moves an export to where the person wants it, and lets the result name that file.
func (f sessionFile) move(res *mcpclient.Result) error {
	if f.written == "" || res.Refused {
		return nil
	}
	for i, c := range res.Content {
		_, rest, _ := strings.Cut(c.Text, "exported to ")
		dir, _, found := strings.Cut(rest, f.written)
		if !found {
			continue
		}
		from := dir + f.written
		data, err := os.ReadFile(from)
		if err == nil {
			err = atomicfile.Write(f.out, data, 0o600)
		}
		res.Content[i].Text = strings.Replace(c.Text, from, f.out, 1)
		res.RawContent = bytes.Replace(res.RawContent, inQuotes(from), inQuotes(f.out), 1)
		return errors.Join(err, os.Remove(from))
	}
	return errors.New("the server does not say where it has written the export")
}

// inQuotes returns a text as it stands between the quotes of JSON.
func inQuotes(text string) []byte {
	quoted, _ := json.Marshal(text) //nolint:errchkjson // a text has an encoding
	return quoted[1 : len(quoted)-1]
}
