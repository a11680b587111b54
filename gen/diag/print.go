package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/invisible"
)

// Format is how a list is printed.
type Format string

// The formats: Text for people, JSON for editors, GitHub for workflow annotations.
const (
	Text   Format = "text"
	JSON   Format = "json"
	GitHub Format = "github"
)

// Formats lists every format, for flags and their completion.
func Formats() []string { return []string{string(Text), string(JSON), string(GitHub)} }

// maxShown is how many diagnostics the text form prints before it only counts: people mend the first
// screenful.
const maxShown = 20

// Source returns one line of a file, counted from 1, without its line end; false when there is no
// such line.
type Source func(file string, line int) (string, bool)

// Fprint writes the list to w in the given format, in the list's own order. Source may be nil; text
// then has no source lines. An empty list prints nothing as text or for GitHub, and [] as JSON.
func (l List) Fprint(w io.Writer, format Format, source Source) error {
	switch format {
	case JSON:
		return l.fprintJSON(w)
	case GitHub:
		return l.fprintGitHub(w)
	default:
		return l.fprintText(w, source)
	}
}

func (l List) fprintJSON(w io.Writer) error {
	if l == nil {
		l = List{}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(l)
}

// fprintGitHub writes one workflow command per diagnostic. Properties escape more than messages do;
// both orders of replacement matter, percent first.
func (l List) fprintGitHub(w io.Writer) error {
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, d := range l {
		var at strings.Builder
		fmt.Fprintf(&at, "file=%s", property.Replace(d.Pos.File))
		if d.Pos.Line > 0 {
			fmt.Fprintf(&at, ",line=%d,col=%d,endColumn=%d", d.Pos.Line, d.Pos.Col, d.Pos.Col+max(d.Pos.Len, 1))
		}
		text := d.sentence()
		if also := d.also(); also != "" {
			text += "\n" + also
		}
		if d.Related != nil {
			text += fmt.Sprintf("\n%s: %s", d.Related.Pos, d.Related.Message)
		}
		if d.Detail != "" {
			text += "\n" + d.Detail
		}
		if d.Fix != nil {
			text += "\ntoolgen fix: " + d.Fix.Title
		}
		_, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", d.Severity, at.String(), property.Replace(d.Rule), message.Replace(invisible.Shown(text)))
		if err != nil {
			return err
		}
	}
	return nil
}

func (l List) fprintText(w io.Writer, source Source) error {
	var b strings.Builder
	for _, d := range l[:min(len(l), maxShown)] {
		d.text(&b, source)
	}
	if more := len(l) - maxShown; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	_, err := io.WriteString(w, invisible.Shown(b.String()))
	return err
}

// sentence is the message with its hint.
func (d Diagnostic) sentence() string {
	if d.Hint == "" {
		return d.Message
	}
	return d.Message + "; " + d.Hint
}

// text writes the three-line form: position and message, source line, caret; then what there is of
// other places, the related place and details. A fix says what the hint says.
func (d Diagnostic) text(b *strings.Builder, source Source) {
	if at := d.Pos.String(); at != "" {
		b.WriteString(at + ": ")
	}
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	fmt.Fprintf(b, "%s [%s]\n", d.sentence(), d.Rule)
	if source != nil && d.Pos.Line > 0 {
		if line, ok := source(d.Pos.File, d.Pos.Line); ok {
			excerpt(b, line, d.Pos)
		}
	}
	if also := d.also(); also != "" {
		b.WriteString("  " + also + "\n")
	}
	if d.Related != nil {
		fmt.Fprintf(b, "  %s: %s\n", d.Related.Pos, d.Related.Message)
	}
	if d.Detail != "" {
		b.WriteString("    " + strings.ReplaceAll(d.Detail, "\n", "\n    ") + "\n")
	}
}

// maxPlaces is how many other places of a cause are named before the rest is only counted.
const maxPlaces = 3

// also names the other places of the cause, or is "".
func (d Diagnostic) also() string {
	if len(d.Also) == 0 {
		return ""
	}
	places := slicesx.Map(d.Also[:min(len(d.Also), maxPlaces)], func(at Pos) string { return at.String() })
	text := "also at " + strings.Join(places, ", ")
	if more := len(d.Also) - maxPlaces; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// The most characters of a source line that are shown, and how many stand before the caret when it
// is cut: a flow mapping can be a screen wide.
const (
	excerptWidth = 120
	excerptLead  = 60
)

// excerpt writes the line without its indent, and under it a caret and as many tildes as the
// position is long.
func excerpt(b *strings.Builder, line string, at Pos) {
	runes := []rune(strings.TrimRight(line, " \t\r"))
	if len(runes) == 0 {
		return
	}
	start := len(runes) - len([]rune(strings.TrimLeft(string(runes), " \t")))
	col := min(max(at.Col-1, 0), len(runes))
	start = min(start, col)
	if len(runes)-start > excerptWidth && col-start > excerptLead {
		start = col - excerptLead
	}
	end := min(len(runes), start+excerptWidth)
	b.WriteString("    " + string(runes[start:end]) + "\n    ")
	for _, r := range runes[start:col] {
		if r == '\t' { // the same width as above, whatever the terminal makes of it
			b.WriteByte('\t')
			continue
		}
		b.WriteByte(' ')
	}
	length := min(max(at.Len, 1), max(end-col, 1))
	b.WriteString("^" + strings.Repeat("~", length-1) + "\n")
}
