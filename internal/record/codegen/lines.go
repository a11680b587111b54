package codegen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// quote writes a text as both languages read it. Neither may have a byte order mark in its source.
func quote(text string) string {
	data, err := json.Marshal(text)
	if err != nil { // texts always marshal
		return `""`
	}
	return strings.ReplaceAll(string(data), "\ufeff", `\ufeff`)
}

// writer writes texts as expressions of one language.
type writer struct {
	base      string // the origin of the recording, for which a variable stands
	variables string // a call that returns the value of a variable, with %s for its name
	marks     marks
}

// expression writes a text in which variables and the base address stand for themselves.
func (w writer) expression(text string) string {
	var parts []string
	if w.base != "" && strings.HasPrefix(text, w.base) && (len(text) == len(w.base) || strings.ContainsRune("/?#", rune(text[len(w.base)]))) {
		parts, text = append(parts, "base"), text[len(w.base):]
	}
	for i, part := range w.marks.split(text) {
		switch {
		case i%2 == 1:
			parts = append(parts, fmt.Sprintf(w.variables, quote(part)))
		case part != "":
			parts = append(parts, quote(part))
		}
	}
	if len(parts) == 0 {
		return `""`
	}
	return strings.Join(parts, " + ")
}

// goLines writes ops as statements of the Go test.
func goLines(ops []op, base string, m marks) (out []string) {
	value := writer{base, "given(t, %s)", m}.expression
	known := map[string]bool{}
	for i, o := range ops {
		if o.Tab != "" && !known[o.Tab] && o.Kind != opComment {
			known[o.Tab] = true
			out = append(out, o.Tab+" := open(t, browser)")
		}
		line := o.goLine(value)
		switch {
		case len(o.Dialogs) == 1:
			line = fmt.Sprintf("%s.answering(%t, %s, func() { %s })", o.Tab, o.Dialogs[0].Accept, value(o.Dialogs[0].Text), line)
		case len(o.Dialogs) > 1:
			line = fmt.Sprintf("%s.answeringEach(%s, func() { %s })", o.Tab, goAnswers(o.Dialogs, value), line)
		case o.StartsDownload:
			line = fmt.Sprintf("%s.downloading(func() { %s })", o.Tab, line)
		case len(o.OpenedTabs) == 1 && !known[o.OpenedTabs[0]]:
			known[o.OpenedTabs[0]] = true
			line = fmt.Sprintf("%s := %s.opening(func() { %s })", o.OpenedTabs[0], o.Tab, line)
			if !slices.ContainsFunc(ops[i:], func(later op) bool { return later.Tab == o.OpenedTabs[0] && later.Kind != opComment }) {
				line += "\n_ = " + o.OpenedTabs[0]
			}
		}
		out = append(out, line)
	}
	return out
}

// elementMembers returns the description of an element in a form that both languages share.
func elementMembers(id locate.Identity, value func(string) string) string {
	text := fmt.Sprintf("role: %s, name: %s", quote(id.Role), value(id.Name))
	for _, f := range []struct{ name, value string }{
		{"text", id.Text}, {"kind", id.Kind}, {"label", id.Label}, {"frame", id.Frame},
	} {
		if f.value != "" && (f.name != "text" || id.Name == "") {
			text += ", " + f.name + ": " + value(f.value)
		}
	}
	if id.AlikeCount > 1 {
		text += ", nth: " + strconv.Itoa(id.Ordinal)
	}
	return text
}

func (o op) goLine(value func(string) string) string {
	on := func(id locate.Identity) string {
		return "element{" + elementMembers(id, value) + "}"
	}
	switch o.Kind {
	case opNavigate, opNewTab:
		return fmt.Sprintf("%s.navigate(%s)", o.Tab, value(o.Value))
	case opBack:
		return o.Tab + ".travel(-1)"
	case opForward:
		return o.Tab + ".travel(1)"
	case opReload:
		return o.Tab + ".reload()"
	case opCloseTab:
		return o.Tab + ".close()"
	case opClick:
		return fmt.Sprintf("%s.click(%s, input.MouseButton(%s), %d)", o.Tab, on(o.Target), quote(o.Button), o.Count)
	case opHover:
		return fmt.Sprintf("%s.hover(%s)", o.Tab, on(o.Target))
	case opSet:
		return fmt.Sprintf("%s.set(%s, %s)", o.Tab, on(o.Target), value(o.Value))
	case opType:
		return fmt.Sprintf("%s.typed(%s)", o.Tab, value(o.Value))
	case opPress:
		return fmt.Sprintf("%s.press(%s)", o.Tab, value(o.Value))
	case opUpload:
		files := slicesx.List(o.Files, value)
		return fmt.Sprintf("%s.upload(%s, %s)", o.Tab, on(o.Target), strings.Join(files, ", "))
	case opDrag:
		return fmt.Sprintf("%s.drag(%s, %s)", o.Tab, on(o.Target), on(o.DropTarget))
	case opWaitText:
		return fmt.Sprintf("%s.sees(%s)", o.Tab, value(o.Value))
	case opWaitURL:
		return fmt.Sprintf("%s.isAt(%s)", o.Tab, value(o.Value))
	case opWaitSelector:
		return fmt.Sprintf("%s.has(%s)", o.Tab, value(o.Value))
	case opScroll:
		return fmt.Sprintf("%s.scroll(%d, %d)", o.Tab, o.DX, o.DY)
	case opCheck:
		return fmt.Sprintf("%s.check(%s, %s, %s)", o.Tab, quote(o.Check), quote(o.Selector), value(o.Value))
	case opComment:
	}
	return "// " + oneLine(o.Value)
}

// tsLines writes ops as statements of the TypeScript test.
func tsLines(ops []op, base string, m marks) (out []string) {
	value := writer{base, "given(%s)", m}.expression
	known := map[string]bool{}
	for _, o := range ops {
		if o.Tab != "" && !known[o.Tab] && o.Kind != opComment {
			known[o.Tab] = true
			out = append(out, fmt.Sprintf("const %s = await context.newPage();", o.Tab))
		}
		line := o.tsLine(value)
		switch {
		case len(o.Dialogs) > 1:
			out = append(out, fmt.Sprintf("const asked%d = answering(%s, %s);", len(out), o.Tab, tsAnswers(o.Dialogs, value)), line, fmt.Sprintf("await asked%d;", len(out)))
			continue
		case len(o.Dialogs) == 1:
			do := "dismiss()"
			if o.Dialogs[0].Accept {
				do = fmt.Sprintf("accept(%s)", value(o.Dialogs[0].Text))
			}
			out = append(out, fmt.Sprintf("const asked%d = %s.waitForEvent('dialog').then((dialog) => dialog.%s);", len(out), o.Tab, do), line, fmt.Sprintf("await asked%d;", len(out)))
			continue
		case o.StartsDownload:
			out = append(out, fmt.Sprintf("const download%d = %s.waitForEvent('download');", len(out), o.Tab), line, fmt.Sprintf("await (await download%d).path();", len(out)))
			continue
		case len(o.OpenedTabs) == 1 && !known[o.OpenedTabs[0]]:
			tab := o.OpenedTabs[0]
			known[tab] = true
			out = append(out, fmt.Sprintf("const opening%s = context.waitForEvent('page');", tab), line, fmt.Sprintf("const %s = await opening%s;", tab, tab))
			continue
		}
		out = append(out, line)
	}
	return out
}

func (o op) tsLine(value func(string) string) string {
	on := func(id locate.Identity) string {
		return fmt.Sprintf("(await find(%s, { %s }))", o.Tab, elementMembers(id, value))
	}
	switch o.Kind {
	case opNavigate, opNewTab:
		return fmt.Sprintf("await %s.goto(%s);", o.Tab, value(o.Value))
	case opBack:
		return fmt.Sprintf("await %s.goBack();", o.Tab)
	case opForward:
		return fmt.Sprintf("await %s.goForward();", o.Tab)
	case opReload:
		return fmt.Sprintf("await %s.reload();", o.Tab)
	case opCloseTab:
		return fmt.Sprintf("await %s.close();", o.Tab)
	case opClick:
		return fmt.Sprintf("await %s.click({ button: '%s', clickCount: %d });", on(o.Target), o.Button, o.Count)
	case opHover:
		return fmt.Sprintf("await %s.hover();", on(o.Target))
	case opSet:
		return fmt.Sprintf("await set(%s, %s);", on(o.Target), value(o.Value))
	case opType:
		return fmt.Sprintf("await %s.keyboard.type(%s);", o.Tab, value(o.Value))
	case opPress:
		return fmt.Sprintf("for (const key of (%s).split(' ')) await %s.keyboard.press(key);", value(o.Value), o.Tab)
	case opUpload:
		files := slicesx.List(o.Files, value)
		return fmt.Sprintf("await %s.setInputFiles([%s]);", on(o.Target), strings.Join(files, ", "))
	case opDrag:
		return fmt.Sprintf("await %s.dragTo(%s);", on(o.Target), on(o.DropTarget))
	case opWaitText:
		return fmt.Sprintf("await sees(%s, %s);", o.Tab, value(o.Value))
	case opWaitURL:
		return fmt.Sprintf("await expect.poll(() => %s.url()).toContain(%s);", o.Tab, value(o.Value))
	case opWaitSelector:
		return fmt.Sprintf("await %s.locator(%s).first().waitFor({ state: 'attached' });", o.Tab, value(o.Value))
	case opScroll:
		return fmt.Sprintf("await %s.mouse.wheel(%d, %d);", o.Tab, o.DX, o.DY)
	case opCheck:
		return fmt.Sprintf("await check(%s, %s, %s, %s);", o.Tab, quote(o.Check), quote(o.Selector), value(o.Value))
	case opComment:
	}
	return "// " + oneLine(o.Value)
}

// goAnswers writes the answers to several dialogs of one op.
func goAnswers(all []dialogAnswer, value func(string) string) string {
	parts := slicesx.List(all, func(a dialogAnswer) string { return fmt.Sprintf("{%t, %s}", a.Accept, value(a.Text)) })
	return "[]answer{" + strings.Join(parts, ", ") + "}"
}

// tsAnswers is goAnswers in TypeScript; null dismisses.
func tsAnswers(all []dialogAnswer, value func(string) string) string {
	parts := make([]string, len(all))
	for i, a := range all {
		if parts[i] = "null"; a.Accept {
			parts[i] = value(a.Text)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
