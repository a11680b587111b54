package offer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/webmcp"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// Limits of what a client is shown.
const (
	maxName        = 64   // characters of a name in a list, as clients accept them
	maxDescription = 1000 // bytes of a description
	maxEntries     = 32   // tools of pages in a list
	maxEntryBytes  = 24_000
	maxHandles     = 20 // in a refusal
	handleDigest   = 16 // hexadecimal digits of a handle
)

// Tool is a tool of a page as a client is shown it.
type Tool struct {
	webmcp.Tool

	// Handle identifies the tool with its origin, description and schema: another definition has another one.
	Handle string
	// Entry is its name in lists, page_<name>.
	Entry string
	// Problem says why it cannot be called; "" when it can.
	Problem string

	arguments *validator // nil where Problem is set
}

// Of describes the tools of a page. It leaves out a tool that an earlier one equals. free reports whether
// nothing else has a name.
func Of(tools []webmcp.Tool, free func(name string) bool) []Tool {
	var out []Tool
	for _, t := range tools {
		d := Tool{Tool: t, Handle: handleOf(t)}
		if slices.ContainsFunc(out, func(o Tool) bool { return o.Handle == d.Handle }) {
			continue
		}
		var err error
		if d.arguments, err = compile(t.InputSchema); err != nil {
			d.Problem = err.Error()
		}
		out = append(out, d)
	}
	nameEntries(out, free)
	return out
}

// Find returns the tool with a handle.
func Find(tools []Tool, handle string) (Tool, bool) {
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Handle == handle })
	if i < 0 {
		return Tool{}, false
	}
	return tools[i], true
}

// GoneRefusal is the refusal of a handle that none of the tools has.
func GoneRefusal(tools []Tool) error {
	handles := slicesx.List(tools[:min(len(tools), maxHandles)], func(t Tool) string { return t.Handle })
	return toolkit.Refuse(codes.PageToolGone, "the page offers no tool with this handle: it went away, or has changed; list the tools again",
		toolkit.Field{Name: "tools", Value: handles})
}

// handleOf digests all that a person or an agent decides by.
func handleOf(t webmcp.Tool) string {
	raw, _ := json.Marshal([]string{t.Origin, t.Name, t.Description, string(t.InputSchema)}) // texts always encode
	sum := sha256.Sum256(raw)
	return ascii(t.Name, ".", maxName) + "#" + hex.EncodeToString(sum[:])[:handleDigest]
}

// nameEntries gives each tool its name in lists: page_<name>, with the host where another tool or anything
// else has that name, and with the digest where that is not enough.
func nameEntries(tools []Tool, free func(string) bool) {
	short := func(t Tool) string { return ascii("page_"+t.Name, "", maxName) }
	long := func(t Tool) string {
		host := t.Origin
		if u, err := url.Parse(t.Origin); err == nil {
			host = u.Host
		}
		return ascii("page_"+ascii(host, "", 24)+"_"+t.Name, "", maxName)
	}
	count := func(name func(Tool) string, of string) (n int) {
		for _, t := range tools {
			if name(t) == of {
				n++
			}
		}
		return n
	}
	taken := make(map[string]bool)
	for i := range tools {
		t := &tools[i]
		name := short(*t)
		if count(short, name) > 1 || !free(name) {
			name = long(*t)
		}
		if taken[name] || !free(name) || name == long(*t) && count(long, name) > 1 {
			digest := t.Handle[len(t.Handle)-handleDigest:]
			name = ascii(name, "", maxName-7) + "_" + digest[:6]
		}
		if !taken[name] && free(name) {
			t.Entry, taken[name] = name, true
		}
	}
}

// ascii returns a text with an underscore for every character but letters, digits, _, - and those of more,
// cut to a number of bytes.
func ascii(s, more string, limit int) string {
	out := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || strings.ContainsRune(more, r) {
			return r
		}
		return '_'
	}, s)
	return out[:min(len(out), limit)]
}

// Description returns the words of the page about the tool and its arguments, without what no reader sees.
// They are to stand in a fence.
func (t Tool) Description() string {
	out := text.ClipBytes(fence.Clean(t.Tool.Description), maxDescription)
	_, words := public(t.InputSchema)
	if len(words) > 0 {
		out += "\nArguments:\n" + strings.Join(words, "\n")
	}
	return out
}

// Schema returns the schema of the arguments without words of the page but the names and values that
// callers must write.
func (t Tool) Schema() json.RawMessage {
	schema, _ := public(t.InputSchema)
	return schema
}

// Validate holds arguments, a JSON object, against the schema of the page. The error names what is wrong in
// words of the page.
func (t Tool) Validate(args []byte) error {
	if t.Problem != "" {
		return errors.New(t.Problem)
	}
	return t.arguments.check(args)
}
