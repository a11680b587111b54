package secret

import "io"

// RedactReader returns a reader that redacts r. It buffers at most one chunk and the longest
// encoding.
func (v *Vault) RedactReader(r io.Reader) io.Reader {
	if v == nil || v.pattern == nil {
		return r
	}
	return &redactingReader{vault: v, from: r}
}

// chunkSize is the size of one read, in bytes.
const chunkSize = 32 << 10

type redactingReader struct {
	vault      *Vault
	from       io.Reader
	unsearched []byte // read, but not searched to its end
	redacted   []byte // ready to return
	err        error  // error of from
}

// Read implements io.Reader.
func (s *redactingReader) Read(p []byte) (int, error) {
	for len(s.redacted) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		piece := make([]byte, chunkSize)
		n, err := s.from.Read(piece)
		s.unsearched, s.err = append(s.unsearched, piece[:n]...), err
		s.advance()
	}
	n := copy(p, s.redacted)
	s.redacted = s.redacted[n:]
	return n, nil
}

// advance redacts the text that no later byte can complete to a value: all at the end of the
// stream, otherwise all but the last longest-1 bytes.
func (s *redactingReader) advance() {
	end := len(s.unsearched)
	if s.err == nil {
		end -= s.vault.fragments.longest - 1
	}
	from := 0
	for _, at := range s.vault.pattern.FindAllIndex(s.unsearched, -1) {
		if at[0] >= end {
			break
		}
		s.redacted = append(s.redacted, s.unsearched[from:at[0]]...)
		s.redacted = append(s.redacted, s.vault.Redact(string(s.unsearched[at[0]:at[1]]))...)
		from = at[1]
	}
	if end = max(end, from); end > from {
		s.redacted = append(s.redacted, s.unsearched[from:end]...)
	}
	s.unsearched = append([]byte(nil), s.unsearched[end:]...)
}
