package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// ErrFormat is wrapped by the error for a file that is no heap snapshot, or only a part of one.
var ErrFormat = fault.New(codes.Failed, "not a whole heap snapshot")

// bufferSize is the part of a file that is in memory while it is read, in bytes.
const bufferSize = 256 << 10

// scanner reads the tokens of a JSON text without keeping them.
type scanner struct {
	ctx context.Context
	r   io.Reader
	buf []byte
	pos int
	end int
	off int64 // offset of buf[0] in the file
	err error
}

// newScanner returns a scanner of size bytes.
func newScanner(ctx context.Context, r io.Reader, size int64) *scanner {
	return &scanner{ctx: ctx, r: r, buf: make([]byte, min(bufferSize, size+1))}
}

// fill reads the next part. It returns false at the end of the file and after an error.
func (s *scanner) fill() bool {
	if s.err != nil {
		return false
	}
	if s.ctx.Err() != nil {
		s.err = context.Cause(s.ctx)
		return false
	}
	s.off += int64(s.end)
	s.pos, s.end = 0, 0
	for s.end == 0 {
		n, err := s.r.Read(s.buf)
		s.end = n
		if err != nil && n == 0 {
			if !errors.Is(err, io.EOF) {
				s.err = fmt.Errorf("read the heap snapshot: %w", err)
			}
			return false
		}
	}
	return true
}

// offset is the position of the next byte in the file.
func (s *scanner) offset() int64 { return s.off + int64(s.pos) }

// fail records what was expected at the current position, unless reading failed before.
func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: expected %s at byte %d", ErrFormat, what, s.offset())
	}
}

// next returns the next byte, or 0 at the end.
func (s *scanner) next() byte {
	if s.pos == s.end && !s.fill() {
		return 0
	}
	c := s.buf[s.pos]
	s.pos++
	return c
}

// token returns the next byte that is no white space.
func (s *scanner) token() byte {
	for {
		switch c := s.next(); c {
		case ' ', '\n', '\t', '\r':
		default:
			return c
		}
	}
}

func (s *scanner) back() { s.pos-- }

// isToken consumes the next token if it is c.
func (s *scanner) isToken(c byte) bool {
	if got := s.token(); got != c {
		if got != 0 {
			s.back()
		}
		return false
	}
	return true
}

func (s *scanner) expect(c byte) bool {
	if !s.isToken(c) {
		s.fail("'" + string(rune(c)) + "'")
		return false
	}
	return true
}

// number reads a whole number from 0.
func (s *scanner) number() uint64 {
	c := s.token()
	if c < '0' || c > '9' {
		s.fail("a number")
		return 0
	}
	n := uint64(c - '0')
	for {
		c = s.next()
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + uint64(c-'0')
	}
	if c != 0 {
		s.back()
	}
	return n
}

// numbers reads an array of whole numbers and calls fn with each row of width numbers, until fn
// returns false.
func (s *scanner) numbers(width int, fn func(row []uint64) bool) {
	if !s.expect('[') {
		return
	}
	if s.isToken(']') {
		return
	}
	row := make([]uint64, width)
	for {
		for i := range row {
			if i > 0 && !s.expect(',') {
				return
			}
			row[i] = s.number()
		}
		if s.err != nil || !fn(row) {
			return
		}
		if s.isToken(']') {
			return
		}
		if !s.expect(',') {
			return
		}
	}
}

// text reads a string and appends at most limit bytes of it, unescaped, to out; the opening quote is
// consumed already.
func (s *scanner) text(out []byte, limit int) []byte {
	for {
		c := s.next()
		switch {
		case c == '"':
			return out
		case c == 0 && s.pos == s.end:
			s.fail("the end of a text")
			return out
		case c == '\\':
			out = s.escape(out, limit)
		case len(out) < limit:
			out = append(out, c)
		}
	}
}

// escape reads the rest of an escape sequence. Halves of surrogate pairs become replacement
// characters, because names are only shown.
func (s *scanner) escape(out []byte, limit int) []byte {
	c := s.next()
	r := rune(c)
	switch c {
	case 'n':
		r = '\n'
	case 't':
		r = '\t'
	case 'r':
		r = '\r'
	case 'b':
		r = '\b'
	case 'f':
		r = '\f'
	case 'u':
		r = 0
		for range 4 {
			r = r<<4 | hexDigit(s.next())
		}
	}
	if len(out) >= limit {
		return out
	}
	return utf8.AppendRune(out, r)
}

func hexDigit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return 0
}

// skip reads over a value, and returns its text if keep is not 0. A value of more than keep bytes is
// an error then.
func (s *scanner) skip(keep int) (out []byte) {
	depth := 0
	add := func(c byte) {
		if len(out) < keep {
			out = append(out, c)
		} else if keep > 0 {
			s.fail("a shorter description")
		}
	}
	for s.err == nil {
		c := s.token()
		if (c == ',' || c == '}' || c == ']') && depth == 0 { // the end of a plain value
			s.back()
			return out
		}
		add(c)
		switch c {
		case 0:
			s.fail("the end of a value")
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return out
			}
		case '"':
			s.skipText(add)
			if depth == 0 {
				return out
			}
		}
	}
	return out
}

// skipText reads the rest of a string as it is written.
func (s *scanner) skipText(add func(byte)) {
	for s.err == nil {
		c := s.next()
		add(c)
		switch c {
		case '"':
			return
		case '\\':
			add(s.next())
		case 0:
			if s.pos == s.end {
				s.fail("the end of a text")
			}
		}
	}
}
