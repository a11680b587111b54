package compile

import (
	"bytes"
	"io"
	"os"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/gen/scope"
)

// Diagnostics are the problems of a site, sorted.
type Diagnostics = diag.List

// Entry is who freezes or releases a site, when, and why.
type Entry = scope.Entry

// Print writes diagnostics as text, each with its line of the source.
func Print(w io.Writer, list Diagnostics) error {
	files := map[string][][]byte{}
	return list.Fprint(w, diag.Text, func(file string, line int) (string, bool) {
		if _, read := files[file]; !read {
			data, _ := os.ReadFile(file) // a file that is gone has no lines
			files[file] = bytes.Split(data, []byte("\n"))
		}
		if line < 1 || line > len(files[file]) {
			return "", false
		}
		return string(files[file][line-1]), true
	})
}

// States returns the number of states that a session with the site can be in.
func (c *Compiled) States() int { return len(prove.Walk(c.Set).States()) }
