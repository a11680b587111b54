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
func (r *redactingReader) Read(p []byte) (int, error) {
	for len(r.redacted) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		piece := make([]byte, chunkSize)
		n, err := r.from.Read(piece)
		r.unsearched, r.err = append(r.unsearched, piece[:n]...), err
		r.advance()
	}
	n := copy(p, r.redacted)
	r.redacted = r.redacted[n:]
	return n, nil
}

// advance redacts the text that no later byte can complete to a value: all at the end of the
// stream, otherwise all but the last longest-1 bytes.
func (r *redactingReader) advance() {
	end := len(r.unsearched)
	if r.err == nil {
		end -= r.vault.fragments.longest - 1
	}
	from := 0
	for _, at := range r.vault.pattern.FindAllIndex(r.unsearched, -1) {
		if at[0] >= end {
			break
		}
		r.redacted = append(r.redacted, r.unsearched[from:at[0]]...)
		r.redacted = append(r.redacted, r.vault.Redact(string(r.unsearched[at[0]:at[1]]))...)
		from = at[1]
	}
	if end = max(end, from); end > from {
		r.redacted = append(r.redacted, r.unsearched[from:end]...)
	}
	r.unsearched = append([]byte(nil), r.unsearched[end:]...)
}
