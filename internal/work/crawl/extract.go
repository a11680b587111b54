package crawl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

const (
	// maxContentBytes is the limit of the stored part of the content of a page.
	maxContentBytes = 200_000
	// maxLinks is how many links of a page are followed. Pages with more are traps.
	maxLinks = 5000
	// maxMarkdownDepth is the nesting up to which a page is converted to Markdown, since the
	// converter recurses.
	maxMarkdownDepth = 400
	// minStaticText is the text in bytes below which a page may need its scripts.
	minStaticText = 300
)

// Data are the fields of a page in format structured.
type Data struct {
	Description string            `json:"description,omitempty"`
	Lang        string            `json:"lang,omitempty"`
	Headings    []Heading         `json:"headings,omitempty"`
	OpenGraph   map[string]string `json:"open_graph,omitempty"`
	LinkedData  []json.RawMessage `json:"json_ld,omitempty"`
	Links       []Link            `json:"links,omitempty"`
	Text        string            `json:"text,omitempty"`
}

// Heading is a heading of a page.
type Heading struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// Link is a link of a page: its href as written, and its text.
type Link struct {
	URL  string `json:"url"`
	Text string `json:"text,omitempty"`
}

// document is a parsed page.
type document struct {
	root      *html.Node
	title     string
	canonical string // as written
	markdown  string // address of the page as Markdown, as written
	base      string // as written
	nofollow  bool   // its meta element asks not to follow its links
	data      Data
	scripts   int
	mount     bool // an empty element that scripts usually fill
	depth     int
	body      string // text of the body, whitespace collapsed
}

// parse reads HTML of any quality and encoding. contentType is the header's, which may name the
// encoding.
func parse(body []byte, contentType string) (*document, error) {
	if code, name, _ := charset.DetermineEncoding(body, contentType); name != "utf-8" {
		if text, err := code.NewDecoder().Bytes(body); err == nil {
			body = text
		}
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil { // nested too deep, the one thing that the parser refuses
		root, err = html.Parse(bytes.NewReader(flatten(body)))
	}
	if err != nil {
		return nil, fmt.Errorf("read HTML: %w", err)
	}
	d := &document{root: root}
	w := walker{d: d}
	w.walk(root)
	d.body = strings.TrimSpace(w.text.String())
	return d, nil
}

// needsScript reports whether the page has almost no text until its scripts have run.
func (d *document) needsScript() bool {
	return d.scripts > 0 && len(d.body) < minStaticText && (d.mount || len(d.data.Links) == 0)
}

// walker walks a tree once, without recursion, since pages may nest without limit.
type walker struct {
	d     *document
	text  strings.Builder
	space bool
}

func (w *walker) walk(root *html.Node) {
	depth := 0
	for n := root; n != nil; {
		w.d.depth = max(w.d.depth, depth)
		into := w.enter(n)
		if into && n.FirstChild != nil {
			n = n.FirstChild
			depth++
			continue
		}
		for n != nil && n.NextSibling == nil {
			if n = n.Parent; n == root {
				return
			}
			depth--
		}
		if n != nil {
			n = n.NextSibling
		}
	}
}

// enter records a node and reports whether to walk its children.
func (w *walker) enter(n *html.Node) bool {
	d := w.d
	if n.Type == html.TextNode {
		w.write(n.Data)
		return false
	}
	if n.Type != html.ElementNode {
		return n.Type == html.DocumentNode
	}
	switch n.DataAtom {
	case atom.Script:
		w.script(n)
		return false
	case atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Svg, atom.Textarea, atom.Select:
		return false
	case atom.Title:
		if d.title == "" {
			d.title = validPrefix(textOf(n), 500)
		}
		return false
	case atom.Html:
		d.data.Lang = validPrefix(attr(n, "lang"), 40)
	case atom.Base:
		if d.base == "" {
			d.base = attr(n, "href")
		}
	case atom.Meta:
		w.meta(n)
	case atom.Link:
		d.readLink(n)
	case atom.A, atom.Area:
		if href := strings.TrimSpace(attr(n, "href")); href != "" && len(d.data.Links) < maxLinks {
			d.data.Links = append(d.data.Links, Link{URL: href, Text: validPrefix(textOf(n), 200)})
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if text := validPrefix(textOf(n), 300); text != "" && len(d.data.Headings) < 200 {
			d.data.Headings = append(d.data.Headings, Heading{Level: int(n.Data[1] - '0'), Text: text})
		}
	case atom.Div, atom.Main, atom.Section:
		id := attr(n, "id")
		d.mount = d.mount || n.FirstChild == nil && (id == "root" || id == "app" || strings.HasPrefix(id, "__"))
	}
	if isBlock(n.DataAtom) {
		w.space = true
	}
	return true
}

// readLink reads a link element.
func (d *document) readLink(n *html.Node) {
	if d.canonical == "" && hasWord(attr(n, "rel"), "canonical") {
		d.canonical = attr(n, "href")
	}
	if d.markdown == "" && hasWord(attr(n, "rel"), "alternate") && isMarkdown(mediaType(attr(n, "type"))) {
		d.markdown = attr(n, "href")
	}
}

func (w *walker) script(n *html.Node) {
	switch kind := strings.ToLower(attr(n, "type")); kind {
	case "", "module", "text/javascript", "application/javascript":
		w.d.scripts++
	case "application/ld+json":
		if raw := json.RawMessage(strings.TrimSpace(rawText(n))); len(raw) < 50_000 && len(w.d.data.LinkedData) < 20 && json.Valid(raw) {
			w.d.data.LinkedData = append(w.d.data.LinkedData, raw)
		}
	}
}

func (w *walker) meta(n *html.Node) {
	d, content := w.d, validPrefix(attr(n, "content"), 1000)
	switch name := strings.ToLower(attr(n, "name")); name {
	case "description":
		d.data.Description = content
	case "robots", "callsheet":
		d.nofollow = d.nofollow || strings.Contains(strings.ToLower(content), "nofollow") || strings.EqualFold(content, "none")
	}
	if p := attr(n, "property"); strings.HasPrefix(p, "og:") && len(d.data.OpenGraph) < 50 {
		if d.data.OpenGraph == nil {
			d.data.OpenGraph = make(map[string]string)
		}
		d.data.OpenGraph[validPrefix(p, 80)] = content
	}
}

// write appends text with its white space collapsed.
func (w *walker) write(s string) {
	for _, r := range s {
		if unicode.IsSpace(r) || r == utf8.RuneError || r == 0 {
			w.space = true
			continue
		}
		if w.space && w.text.Len() > 0 {
			w.text.WriteByte(' ')
		}
		w.space = false
		w.text.WriteRune(r)
	}
}

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.I, atom.Em, atom.Strong, atom.Span, atom.Code, atom.Sub, atom.Sup, atom.Small, atom.U:
		return false
	}
	return true
}

// textOf returns the text of a node, up to about 2,000 bytes: some links hold whole pages.
func textOf(n *html.Node) string {
	var w walker
	w.d = &document{}
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			w.write(c.Data)
		}
		if w.text.Len() > 2000 {
			break
		}
		w.space = w.space || c.Type == html.ElementNode && isBlock(c.DataAtom)
	}
	return w.text.String()
}

func rawText(n *html.Node) string {
	if n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// content returns the page in a format, cut to maxContentBytes.
func (d *document) content(f Format) (text string, data *Data, truncated bool, err error) {
	switch f {
	case Structured:
		out := d.data
		out.Text = validPrefix(d.body, maxContentBytes/2)
		return "", &out, len(out.Text) < len(d.body), nil
	case Markdown:
		if d.depth > maxMarkdownDepth {
			break // plain text instead
		}
		prune(d.root, 2*maxContentBytes)
		c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
		for _, tag := range []string{"template", "svg", "select", "textarea", "button"} {
			c.Register.TagType(tag, converter.TagTypeRemove, converter.PriorityStandard)
		}
		out, err := c.ConvertNode(d.root)
		if err != nil {
			return "", nil, false, fmt.Errorf("write Markdown: %w", err)
		}
		text := strings.TrimSpace(strings.ToValidUTF8(string(out), "�"))
		short := validPrefix(text, maxContentBytes)
		return short, nil, len(short) < len(text), nil
	}
	short := validPrefix(d.body, maxContentBytes)
	return short, nil, len(short) < len(d.body), nil
}

// prune empties the text nodes after the first room bytes, so that no time goes into text that
// would be cut.
func prune(root *html.Node, room int) {
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			n.Data = validPrefix(n.Data, room)
			room -= len(n.Data)
		}
	}
}

// validPrefix replaces invalid UTF-8 in s and cuts it to at most n bytes, at the end of a
// character.
func validPrefix(s string, n int) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
