package secret

import "io"

// Reader redacts a stream of any length, holding no more of it than the longest form of a value and one piece.
func (v *Vault) Reader(r io.Reader) io.Reader {
	if v == nil || v.search == nil {
		return r
	}
	return &stream{vault: v, from: r}
}

// pieceSize is how much is read from a stream at a time.
const pieceSize = 32 << 10

type stream struct {
	vault *Vault
	from  io.Reader
	raw   []byte // read, not yet searched to its end
	out   []byte // ready
	err   error  // of from
}

// Read gives what is ready, reading on when nothing is.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		piece := make([]byte, pieceSize)
		n, err := s.from.Read(piece)
		s.raw, s.err = append(s.raw, piece[:n]...), err
		s.advance()
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// advance makes ready what no value can reach into any more: at the end all, before it all but the length of a value.
func (s *stream) advance() {
	end := len(s.raw)
	if s.err == nil {
		end -= s.vault.edges.widest - 1
	}
	from := 0
	for _, at := range s.vault.search.FindAllIndex(s.raw, -1) {
		if at[0] >= end {
			break
		}
		s.out = append(s.out, s.raw[from:at[0]]...)
		s.out = append(s.out, s.vault.Redact(string(s.raw[at[0]:at[1]]))...)
		from = at[1]
	}
	if end = max(end, from); end > from {
		s.out = append(s.out, s.raw[from:end]...)
	}
	s.raw = append([]byte(nil), s.raw[end:]...)
}
