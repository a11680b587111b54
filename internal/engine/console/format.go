package console

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// format joins the arguments of a console call as a console shows them: strings bare, the
// substitutions of the first argument applied (https://console.spec.whatwg.org/#formatter), objects
// by their preview.
func format(args []*runtime.RemoteObject) string {
	if len(args) == 0 {
		return ""
	}
	var b strings.Builder
	rest := args[1:]
	if s, ok := stringValue(args[0]); ok {
		rest = substitute(&b, s, rest)
	} else {
		b.WriteString(describe(args[0]))
	}
	for _, a := range rest {
		b.WriteByte(' ')
		b.WriteString(describe(a))
	}
	return b.String()
}

// substitute writes text with its %-sequences replaced by arguments, and returns the unused
// arguments.
func substitute(b *strings.Builder, text string, args []*runtime.RemoteObject) []*runtime.RemoteObject {
	for {
		before, after, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return args
		}
		verb := byte(0)
		if after != "" {
			verb = after[0]
		}
		switch {
		case verb == '%':
			b.WriteByte('%')
		case !strings.ContainsRune("sdifoOc", rune(verb)) || verb == 0 || len(args) == 0:
			b.WriteByte('%')
			text = after
			continue
		default:
			if verb != 'c' { // %c is a style, which plain text does not have
				b.WriteString(formatNumber(verb, describe(args[0])))
			}
			args = args[1:]
		}
		text = after[1:]
	}
}

// formatNumber applies %d and %i, which truncate a fraction.
func formatNumber(verb byte, text string) string {
	if verb != 'd' && verb != 'i' {
		return text
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && f > -1e15 && f < 1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	return text
}

func stringValue(o *runtime.RemoteObject) (string, bool) {
	if o.Type != runtime.RemoteObjectTypeString {
		return "", false
	}
	var s string
	if json.Unmarshal(o.Value, &s) != nil {
		return o.Description, true
	}
	return s, true
}

// describe renders one value in a line; errors keep their stack.
func describe(o *runtime.RemoteObject) string {
	if s, ok := stringValue(o); ok {
		return s
	}
	switch {
	case o.Type == runtime.RemoteObjectTypeUndefined:
		return "undefined"
	case o.UnserializableValue != "":
		return string(o.UnserializableValue)
	case o.Type == runtime.RemoteObjectTypeFunction:
		return functionName(o.Description)
	case o.Preview != nil && hasPreview(o.Subtype):
		return preview(o.Preview)
	case o.Description != "":
		return o.Description + cause(o)
	}
	return string(o.Value)
}

// cause renders the cause of an error without its stack, as [cause: TypeError: x]; "" if it has
// none.
func cause(o *runtime.RemoteObject) string {
	if o.Subtype != runtime.RemoteObjectSubtypeError || o.Preview == nil {
		return ""
	}
	for _, f := range o.Preview.Properties {
		if f.Name == "cause" && f.Type != runtime.PropertyPreviewTypeUndefined {
			text, _, _ := strings.Cut(previewProperty(f), stackStart)
			return " [cause: " + text + "]"
		}
	}
	return ""
}

// stackStart is where the stack begins in the description of an error.
const stackStart = "\n    at "

// hasPreview reports whether the properties of an object of this subtype say more than its
// description.
func hasPreview(subtype runtime.RemoteObjectSubtype) bool {
	switch subtype {
	case "", runtime.RemoteObjectSubtypeArray, runtime.RemoteObjectSubtypeTypedarray, runtime.RemoteObjectSubtypeMap,
		runtime.RemoteObjectSubtypeSet, runtime.RemoteObjectSubtypeWeakmap, runtime.RemoteObjectSubtypeWeakset:
		return true
	}
	return false
}

func functionName(source string) string {
	head, _, _ := strings.Cut(source, "{")
	head, _, _ = strings.Cut(head, "=>")
	return "[" + text.ClipBytes(strings.TrimSpace(head), 80) + "]"
}

// preview renders an object as {a: 1, b: "x", …}, an array as [1, 2, …], a map or set by its
// entries. The class precedes all but plain objects and arrays.
func preview(p *runtime.ObjectPreview) string {
	opening, closing := "{", "}"
	array := p.Subtype == runtime.ObjectPreviewSubtypeArray || p.Subtype == runtime.ObjectPreviewSubtypeTypedarray
	switch {
	case array:
		opening, closing = "[", "]"
	case len(p.Properties) == 0 && len(p.Entries) == 0 && p.Description != "Object":
		return p.Description
	case p.Description != "Object":
		opening = p.Description + " {"
	}
	var parts []string
	for _, e := range p.Entries {
		part := previewValue(e.Value)
		if e.Key != nil {
			part = previewValue(e.Key) + " => " + part
		}
		parts = append(parts, part)
	}
	for _, f := range p.Properties {
		if len(p.Entries) > 0 { // the entries already show the size
			break
		}
		part := previewProperty(f)
		if _, err := strconv.Atoi(f.Name); !array || err != nil {
			part = f.Name + ": " + part
		}
		parts = append(parts, part)
	}
	if p.Overflow {
		parts = append(parts, "…")
	}
	return opening + strings.Join(parts, ", ") + closing
}

func previewValue(p *runtime.ObjectPreview) string {
	if p.Type == runtime.ObjectPreviewTypeString {
		return strconv.Quote(p.Description)
	}
	return preview(p)
}

func previewProperty(f *runtime.PropertyPreview) string {
	switch {
	case f.ValuePreview != nil:
		return preview(f.ValuePreview)
	case f.Type == runtime.PropertyPreviewTypeString:
		return strconv.Quote(f.Value)
	case f.Type == runtime.PropertyPreviewTypeFunction:
		return "[function]"
	case f.Type == runtime.PropertyPreviewTypeAccessor:
		return "[getter]"
	}
	return f.Value
}

// clip bounds the text of a message, or a URL.
func clip(s string) string { return text.ClipBytes(s, maxTextBytes) }

// Position writes where a location is, with an address of at most limit characters.
func (l Location) Position(limit int) string {
	out := fence.Line(text.ClipRunes(l.URL, limit))
	if l.Line > 0 {
		out += fmt.Sprintf(":%d", l.Line)
	}
	if l.Column > 0 {
		out += fmt.Sprintf(":%d", l.Column)
	}
	return out
}
