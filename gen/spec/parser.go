package spec

import (
	"bytes"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
)

// Parser parses a manifest repeatedly, as an editor does. It keeps the tree of each included file, and
// parses a file again only when its text has changed. The zero Parser is ready to use. It is not safe
// for concurrent use, and its trees share entries: callers must not change them.
type Parser struct{ areas map[string]parsedArea }

// parsedArea is an included file as it was parsed last.
type parsedArea struct {
	data  []byte
	area  Area
	whole bool // the file could be read
	diags diag.List
}

// Parse is the function Parse with the memory of the parser.
func (p *Parser) Parse(root string, files []File) (*Tree, diag.List) {
	if p.areas == nil {
		p.areas = map[string]parsedArea{}
	}
	return parseTree(root, files, p.area)
}

// area returns the tree of an included file under the name of its include, and whether it could be read.
func (p *Parser) area(include Text, f File, diags *diag.List) (Area, bool) {
	known, ok := p.areas[f.Name]
	if !ok || !bytes.Equal(known.data, f.Data) {
		known = parsedArea{data: slices.Clone(f.Data)}
		known.area, known.whole = area(include, f, &known.diags)
		p.areas[f.Name] = known
	}
	*diags = append(*diags, known.diags...)
	out := known.area
	out.Name.Pos = include.Pos // the include may have moved
	return out, known.whole
}
