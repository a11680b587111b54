package acceptance_test

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isHTML reports whether a media type is that of pages.
func isHTML(kind string) bool { return kind == "text/html" }

// RedesignCgit redesigns cgit: other classes in pages and style sheet, the navigation and the header below
// the content, tables inside of further elements.
func RedesignCgit(_, kind, body string) string {
	classes := regexp.MustCompile(`\b(tabs|content|list|header|main|form|sub|left|right|commit-info|commit-subject|decoration|deco|branch-deco|tag-annotated-deco|pager|footer|nohover|nowrap|txt|oid|path|ls-[a-z]+|blob|lines|linenumbers)\b`)
	switch {
	case isHTML(kind):
		return edit(body, func(n *html.Node) {
			renameClasses(n, classes)
			if attribute(n, "id") == "cgit" {
				reverseChildren(n)
			}
			if n.DataAtom == atom.Table && n.Parent.DataAtom == atom.Div {
				wrap(n, "section", "div")
			}
		})
	case kind == "text/css":
		return regexp.MustCompile(`\.[a-z][a-z-]*`).ReplaceAllStringFunc(body, func(at string) string { return classes.ReplaceAllString(at, "x-$1") })
	}
	return body
}

// RedesignAdmin redesigns Django's admin: other classes in pages and style sheets, the header below the
// content, the navigation after it, fields inside of further elements.
func RedesignAdmin(_, kind, body string) string {
	classes := regexp.MustCompile(`\b(module|submit-row|form-row|aligned|default|breadcrumbs|object-tools|content|paginator|messagelist|errornote|help|colM|colMS|flex|success)\b`)
	switch {
	case isHTML(kind):
		return edit(body, func(n *html.Node) {
			renameClasses(n, classes)
			if id := attribute(n, "id"); id == "container" || id == "main" {
				reverseChildren(n)
			}
			if strings.Contains(attribute(n, "class"), "x-form-row") {
				wrap(n, "section", "div")
			}
		})
	case kind == "text/css":
		return regexp.MustCompile(`\.[a-zA-Z][a-zA-Z-]*`).ReplaceAllStringFunc(body, func(at string) string { return classes.ReplaceAllString(at, "x-$1") })
	}
	return body
}

// RedesignWiki redesigns TiddlyWiki, whose page carries its templates, scripts and styles: every class gets
// another prefix, titles stand inside of further elements, and the controls of the page have
// another order.
func RedesignWiki(_, kind, body string) string {
	if !isHTML(kind) && !strings.HasSuffix(kind, "json") {
		return body
	}
	body = regexp.MustCompile(`\btc-`).ReplaceAllString(body, "redesigned-")
	body = strings.ReplaceAll(body, `\u003Ch2 class=\"redesigned-title\">\n\u003C$view field=\"title\"/>\n\u003C/h2>`,
		`\u003Cdiv>\u003Cdiv>\u003Ch2 class=\"redesigned-title\">\n\u003C$view field=\"title\"/>\n\u003C/h2>\u003C/div>\u003C/div>`)
	return strings.ReplaceAll(body, `[[$:/core/ui/Buttons/home]]`, `[[$:/core/ui/Buttons/control-panel]] [[$:/core/ui/Buttons/home]]`)
}

// edit changes every element of a document.
func edit(page string, change func(*html.Node)) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return page
	}
	var elements []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			elements = append(elements, n)
		}
	}
	for _, n := range elements {
		change(n)
	}
	var b strings.Builder
	if err := html.Render(&b, root); err != nil {
		return page
	}
	return b.String()
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func renameClasses(n *html.Node, known *regexp.Regexp) {
	for i, a := range n.Attr {
		if a.Key != "class" {
			continue
		}
		words := strings.Fields(a.Val)
		for j, w := range words {
			if known.FindString(w) == w {
				words[j] = "x-" + w
			}
		}
		n.Attr[i].Val = strings.Join(words, " ")
	}
}

// reverseChildren turns the order of an element's children.
func reverseChildren(n *html.Node) {
	children := slices.Collect(n.ChildNodes())
	for _, c := range children {
		n.RemoveChild(c)
	}
	slices.Reverse(children)
	for _, c := range children {
		n.AppendChild(c)
	}
}

// wrap puts an element into new ones, the outermost first.
func wrap(n *html.Node, names ...string) {
	for _, name := range slices.Backward(names) {
		outer := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
		n.Parent.InsertBefore(outer, n)
		n.Parent.RemoveChild(n)
		outer.AppendChild(n)
		n = outer
	}
}
