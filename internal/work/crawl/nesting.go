package crawl

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxParserDepth is the nesting that flatten leaves. The parser refuses twice as much.
const maxParserDepth = 250

// flatten removes the tags of elements that are nested too deep, and keeps their text and links.
func flatten(body []byte) []byte {
	var out bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(body))
	depth := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out.Bytes()
		}
		raw := bytes.Clone(z.Raw())
		name, _ := z.TagName()
		tag := atom.Lookup(name)
		switch kind {
		case html.StartTagToken:
			if isVoid(tag) {
				break
			}
			if depth++; depth > maxParserDepth && tag != atom.A {
				continue
			}
		case html.EndTagToken:
			if depth--; depth >= maxParserDepth && tag != atom.A {
				continue
			}
			depth = max(0, depth)
		}
		out.Write(raw)
	}
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track, atom.Wbr,
		atom.P, atom.Li, atom.Dt, atom.Dd, atom.Td, atom.Tr, atom.Th, atom.Option: // and elements that are often left open
		return true
	}
	return false
}
