package debugger

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/text"
)

// formatValue formats a value in JavaScript syntax in at most limit bytes: "text", 1, {a: 1, b:
// […]}, Counter {n: 2}, ƒ add(a, b), div#main.box.
func formatValue(o *runtime.RemoteObject, limit int) string {
	if o == nil {
		return "undefined"
	}
	switch o.Type {
	case runtime.RemoteObjectTypeUndefined:
		return "undefined"
	case runtime.RemoteObjectTypeString:
		var s string
		_ = json.Unmarshal(o.Value, &s) // the protocol sends a string
		return quote(s, limit)
	case runtime.RemoteObjectTypeFunction:
		return text.ClipBytes(formatFunction(o.Description), min(limit, 60))
	case runtime.RemoteObjectTypeObject:
		if o.Subtype == runtime.RemoteObjectSubtypeNull {
			return "null"
		}
		return text.ClipBytes(formatObject(o), limit)
	}
	if o.UnserializableValue != "" {
		return text.ClipBytes(string(o.UnserializableValue), limit)
	}
	if len(o.Value) > 0 {
		return text.ClipBytes(string(o.Value), limit)
	}
	return text.ClipBytes(o.Description, limit)
}

func quote(s string, limit int) string {
	return text.ClipBytes(strconv.Quote(text.ClipBytes(s, limit-2)), limit) // escapes add bytes
}

// formatFunction returns the signature of a function: its first line without the body.
func formatFunction(source string) string {
	head, _, _ := strings.Cut(source, "{")
	head, _, _ = strings.Cut(head, "\n")
	head, _, arrow := strings.Cut(head, "=>")
	head = strings.TrimSpace(head)
	switch {
	case arrow:
		return "ƒ " + head + " => …"
	case strings.HasPrefix(head, "class"):
		return head
	}
	return "ƒ " + strings.Join(strings.Fields(strings.Replace(head, "function", "", 1)), " ")
}

func formatObject(o *runtime.RemoteObject) string {
	if o.Preview != nil {
		return formatPreview(o.Preview)
	}
	if o.Description == "" {
		return o.ClassName
	}
	return firstLine(o.Description)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func formatPreview(p *runtime.ObjectPreview) string {
	var b strings.Builder
	opening, closing := "{", "}"
	switch p.Subtype {
	case "array", "typedarray":
		opening, closing = "[", "]"
	case "map", "set", "weakmap", "weakset":
		opening = p.Description + " {"
	case "":
		if p.Type != "object" {
			return formatPrimitive(string(p.Type), p.Description)
		}
		if p.Description != "Object" && p.Description != "" {
			opening = p.Description + " {"
		}
	default: // error, node, regexp, date, promise and others: the description is enough
		return firstLine(p.Description)
	}
	b.WriteString(opening)
	n := 0
	part := func(text string) {
		if n++; n > 1 {
			b.WriteString(", ")
		}
		b.WriteString(text)
	}
	for _, e := range p.Entries {
		text := formatPreview(e.Value)
		if e.Key != nil {
			text = formatPreview(e.Key) + " → " + text
		}
		part(text)
	}
	for _, f := range p.Properties {
		text := formatProperty(f)
		if closing == "}" || !isIndex(f.Name) {
			text = f.Name + ": " + text
		}
		if len(p.Entries) == 0 || f.Name != "size" {
			part(text)
		}
	}
	if p.Overflow {
		part("…")
	}
	return b.String() + closing
}

func isIndex(name string) bool {
	_, err := strconv.Atoi(name)
	return err == nil
}

func formatProperty(f *runtime.PropertyPreview) string {
	if f.ValuePreview != nil {
		return formatPreview(f.ValuePreview)
	}
	if f.Subtype == "null" {
		return "null"
	}
	return formatPrimitive(string(f.Type), f.Value)
}

func formatPrimitive(kind, text string) string {
	switch kind {
	case "string":
		return strconv.Quote(text)
	case "function":
		return "ƒ"
	case "accessor":
		return "(getter)"
	case "object":
		if text == "Object" {
			return "{…}"
		}
	case "undefined":
		return "undefined"
	}
	return firstLine(text)
}
