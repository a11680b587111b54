package spec

import (
	"maps"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// walker reads the nodes of one file into the tree. The walkers of single sections, such as toolWalker,
// embed it.
type walker struct{ *yamltree.Reader }

// member is one key of a mapping with its value; field is one key that is valid at a place.
type (
	member = yamltree.Entry
	field  = yamltree.Field
)

// open parses a file and returns the body of its one document; nil when there is none to read.
func open(f File, diags *diag.List) (*walker, ast.Node) { return openAs(f, manifestGrammar, diags) }

func openAs(f File, grammar *yamltree.Grammar, diags *diag.List) (*walker, ast.Node) {
	r, body := yamltree.Open(f, grammar, diags)
	return &walker{r}, body
}

func required(name string, read func(member)) field { return yamltree.Required(name, read) }
func optional(name string, read func(member)) field { return yamltree.Optional(name, read) }

// types returns the reader of the types of values.
func (w *walker) types() paramspec.Reader { return paramspec.Reader{Reader: w.Reader} }

// manifestGrammar describes a manifest and the files beside it.
var manifestGrammar = grammar("the manifest")

// grammar describes a file with keys of a manifest, which messages call what.
func grammar(what string) *yamltree.Grammar {
	g := paramspec.Grammar(what)
	g.Sample, g.Visible = sample, true
	maps.Copy(g.StandsFor, map[string]string{
		"inputSchema": "input", "parameters": "input", "outputSchema": "output", "annotations": "effects",
		"readOnlyHint": "read_only", "destructiveHint": "destructive", "idempotentHint": "idempotent", "openWorldHint": "open_world",
	})
	maps.Copy(g.Homes, homes)
	for where, keys := range map[string]string{
		"effects":              "read_only destructive idempotent open_world",
		"changes":              "sets clears may_set may_clear",
		"budget":               "result_bytes timeout_ms",
		"traits":               "keeps durable shows record replay",
		"cli":                  "verb args example save hide program",
		"an entry of scopes":   "status deferral_records",
		"an entry of profiles": "exclude_scopes",
		"deferred":             "cli_equivalent competitor_ref reason",
		"a tool":               "visible listed joins also tier scope effects input output require_when surfaces budget slim builtin",
		"the root file": "include facts events scenarios scopes profiles invariants capabilities addressed_by list_bytes default_list_bytes " +
			"list_output_schemas types providers",
		"an entry of capabilities": "opt_in",
		"an entry of resources":    "uri uriTemplate mimeType subscribe variables",
		"an argument":              "complete",
	} {
		for _, key := range strings.Fields(keys) {
			g.Homes[key] = "it is a key of " + where
		}
	}
	g.Keys = append(g.Keys, strings.Fields("version tools name title capability changes sets clears cli deferred since verb flags")...)
	return g
}

// homes says, for keys that authors know from elsewhere, where they belong in a manifest.
var homes = map[string]string{
	"inputSchema": "the parameters stand under input", "parameters": "the parameters stand under input",
	"outputSchema": "the members of the result stand under output", "annotations": "the effects of a tool stand under effects",
	"readOnlyHint": "write read_only under effects", "destructiveHint": "write destructive under effects",
	"idempotentHint": "write idempotent under effects", "openWorldHint": "write open_world under effects",
	"arguments":    "arguments are of prompts; the parameters of a tool stand under input",
	"uri_template": "write uriTemplate", "mime_type": "write mimeType",
}

// sample returns how a key that a mapping lacks may be written.
func sample(key, in string) string {
	if key == "input" && in == "slim" {
		return "[]"
	}
	return map[string]string{"visible": "always", "input": "{}", "version": "1", "capabilities": "{core: {title: …, description: …}}",
		"scopes": `{default: {status: open, since: "0.1"}}`, "since": `"0.1"`, "scope": "default", "status": "open"}[key]
}
