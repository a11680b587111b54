// Package terminal shows results to people: text, tables, pictures as files, progress on one line.
//
// Colours and progress appear only where a person looks: on a terminal, and unless NO_COLOR is set.
// The package must not know what the results are about, nor where they come from.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/internal/text/fence"
)

// Screen is an output for people.
type Screen struct {
	w             io.Writer
	tty           bool
	color         bool
	progressShown bool // a line of progress is there
}

// New shows on w, as on a terminal if it is one.
func New(w io.Writer) *Screen {
	s := &Screen{w: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		s.tty = err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	s.color = s.tty && os.Getenv("NO_COLOR") == ""
	return s
}

// IsTerminal reports whether a person may be looking.
func (s *Screen) IsTerminal() bool { return s.tty }

// The few styles there are, as SGR codes.
const (
	Bold = "1"
	Dim  = "2"
	Red  = "31"
)

// Style wraps text in a style, where there are colours.
func (s *Screen) Style(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Line writes a line, after the progress is gone.
func (s *Screen) Line(text string) error {
	s.clear()
	_, err := fmt.Fprintln(s.w, strings.TrimSuffix(text, "\n"))
	return err
}

// Progress shows how far something is, on a line that the next one replaces. Nothing is shown off a
// terminal.
func (s *Screen) Progress(done, total float64, message string) {
	if !s.tty {
		return
	}
	text := Plain(message)
	if total > 0 {
		text = fmt.Sprintf("%3.0f%% %s", 100*done/total, text)
	}
	if utf8.RuneCountInString(text) > progressWidth {
		text = string([]rune(text)[:progressWidth-1]) + "…"
	}
	s.clear()
	_, _ = io.WriteString(s.w, s.Style(Dim, text)) // a lost line of progress is no loss
	s.progressShown = true
}

// Frame writes what a watch shows: in place of all that a terminal has, else below it, where a blank line
// ends a frame of several lines.
func (s *Screen) Frame(text string, first bool) error {
	s.clear()
	switch {
	case s.tty:
		text = "\x1b[H\x1b[2J" + text
	case !first && strings.Count(text, "\n") > 1:
		text = "\n" + text
	}
	_, err := io.WriteString(s.w, text)
	return err
}

// progressWidth keeps progress on one line of most terminals.
const progressWidth = 78

func (s *Screen) clear() {
	if s.progressShown {
		_, _ = io.WriteString(s.w, "\r\x1b[K")
		s.progressShown = false
	}
}

// ClearProgress removes the progress.
func (s *Screen) ClearProgress() { s.clear() }

// Plain takes out of text what would move a terminal's cursor, change its state or reorder what it shows:
// pages decide what results say.
func Plain(text string) string {
	return fence.Clean(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, text))
}

// Text writes text of a result: as it is for programs, plain for people.
func (s *Screen) Text(text string) error {
	if s.tty {
		text = Plain(text)
	}
	return s.Line(text)
}
