package swap_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// exchangedPrefix begins the names of the methods that have the signature of one handler and the body of another.
const exchangedPrefix = "exchanged"

// chooser is a file of the area that tells whose body a handler runs.
const chooser = `package %s

import (
	"os"
	"strings"
)

var exchangedFor = map[string]string{}

func init() {
	for part := range strings.SplitSeq(os.Getenv("` + chosenVariable + `"), ",") {
		name, body, _ := strings.Cut(part, "=")
		exchangedFor[name] = body
	}
}
`

func exchangedName(h, body *handler) string { return exchangedPrefix + "_" + h.name + "_" + body.name }

// insertion is text that joins a file at an offset.
type insertion struct {
	at   int
	text string
}

// withExchanged returns the files of the area with methods of the signature of one handler and the body of another, at the end
// of the file of the body, whose imports it needs. Handlers of calls begin by calling the one that is chosen.
func (a *area) withExchanged(want func(h, body *handler) bool, calls map[*handler][]*handler) (map[string][]byte, error) {
	added := map[string][]insertion{}
	for _, h := range a.handlers {
		for _, body := range a.handlers {
			if want(h, body) {
				added[body.file] = append(added[body.file], insertion{len(a.texts[body.file]), a.exchanged(h, body)})
			}
		}
		if bodies := calls[h]; len(bodies) > 0 {
			added[h.file] = append(added[h.file], a.prologue(h, bodies)...)
		}
	}
	out := map[string][]byte{}
	for name, text := range a.texts {
		slices.SortStableFunc(added[name], func(x, y insertion) int { return cmp.Compare(x.at, y.at) })
		var b bytes.Buffer
		from := 0
		for _, in := range added[name] {
			b.Write(text[from:in.at])
			b.WriteString(in.text)
			from = in.at
		}
		b.Write(text[from:])
		out[name] = b.Bytes()
	}
	return out, nil
}

// exchanged is a method with the types of h and the names and the body of another handler.
func (a *area) exchanged(h, body *handler) string {
	join := func(types, names []entry) string {
		var out []string
		for i, e := range types {
			name := "_"
			if i < len(names) {
				name = names[i].name
			}
			out = append(out, name+" "+a.text(h, e.typ))
		}
		return strings.Join(out, ", ")
	}
	of, from := h.decl.Type, body.decl.Type
	return fmt.Sprintf("\nfunc %s %s(%s) (%s) %s\n", a.text(body, body.decl.Recv), exchangedName(h, body),
		join(entries(of.Params), entries(from.Params)), join(entries(of.Results), entries(from.Results)), a.text(body, body.decl.Body))
}

// prologue has a handler call the exchanged method that is chosen. What is called _ there gets a name.
func (a *area) prologue(h *handler, bodies []*handler) []insertion {
	var out []insertion
	named := func(id *ast.Ident) string {
		if id.Name != "_" {
			return id.Name
		}
		prefix := fmt.Sprintf("exchanged%d", len(out))
		out = append(out, insertion{a.offset(id.Pos()), prefix})
		return prefix + "_"
	}
	receiver := "exchangedReceiver"
	if names := h.decl.Recv.List[0].Names; len(names) == 1 {
		receiver = named(names[0])
	} else {
		out = append(out, insertion{a.offset(h.decl.Recv.List[0].Type.Pos()), receiver + " "})
	}
	var args []string
	for _, field := range h.decl.Type.Params.List {
		for _, id := range field.Names {
			args = append(args, named(id))
		}
	}
	var cases strings.Builder
	for _, body := range bodies {
		fmt.Fprintf(&cases, " case %q: return %s.%s(%s);", body.name, receiver, exchangedName(h, body), strings.Join(args, ", "))
	}
	return append(out, insertion{a.offset(h.decl.Body.Lbrace) + 1, fmt.Sprintf(" switch exchangedFor[%q] {%s };", h.name, cases.String())})
}

func (a *area) offset(pos token.Pos) int { return a.pkg.Fset.Position(pos).Offset }

func (a *area) text(h *handler, n ast.Node) string {
	return string(a.texts[h.file][a.offset(n.Pos()):a.offset(n.End())])
}

// entry is a parameter or a result: its name, "_" for none, and its type.
type entry struct {
	name string
	typ  ast.Expr
}

func entries(list *ast.FieldList) []entry {
	var out []entry
	for _, field := range list.List {
		for _, id := range field.Names {
			out = append(out, entry{id.Name, field.Type})
		}
		if len(field.Names) == 0 {
			out = append(out, entry{"_", field.Type})
		}
	}
	return out
}
