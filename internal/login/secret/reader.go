package secret

import "io"

// RedactReader returns a reader that redacts r. It buffers at most one chunk and the longest
// encoding.
func (v *Vault) RedactReader(r io.Reader) io.Reader {
	if v == nil || len(v.names) == 0 {
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
	for {
		at, to := r.vault.fragments.find(r.unsearched[from:])
		if at < 0 || from+at >= end {
			break
		}
		r.redacted = append(r.redacted, r.unsearched[from:from+at]...)
		r.redacted = append(r.redacted, r.vault.fragments.replacements[string(r.unsearched[from+at:from+to])]...)
		from += to
	}
	if end = max(end, from); end > from {
		r.redacted = append(r.redacted, r.unsearched[from:end]...)
	}
	r.unsearched = append([]byte(nil), r.unsearched[end:]...)
}
