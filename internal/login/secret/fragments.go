package secret

import "strings"

// ellipsis marks omitted text in results.
const ellipsis = "…"

// fragments indexes encodings by their first and last minLength bytes, to find the part of one that
// clipping has left.
type fragments struct {
	byPrefix, bySuffix map[string][]string
	replacements       map[string]string // placeholders by encoding
	longest            int               // bytes of the longest encoding
	begins             [1 << 16]bool     // by two bytes: an encoding begins with them
}

func newFragments(of map[string]string, all []string) *fragments {
	e := &fragments{byPrefix: map[string][]string{}, bySuffix: map[string][]string{}, replacements: of}
	for _, form := range all {
		head, tail := form[:minLength], form[len(form)-minLength:]
		e.byPrefix[head], e.bySuffix[tail] = append(e.byPrefix[head], form), append(e.bySuffix[tail], form)
		e.longest = max(e.longest, len(form))
		e.begins[int(form[0])<<8|int(form[1])] = true
	}
	return e
}

// find returns the place of the first encoding in a text, the longest of those that begin there; -1 for none.
func (f *fragments) find(text []byte) (at, end int) {
	for at := 0; at+minLength <= len(text); at++ {
		if !f.begins[int(text[at])<<8|int(text[at+1])] {
			continue
		}
		for _, form := range f.byPrefix[string(text[at:at+minLength])] {
			if len(form) <= len(text)-at && string(text[at:at+len(form)]) == form {
				return at, at + len(form)
			}
		}
	}
	return -1, -1
}

// minSpread is the length of the shortest encoding that is recognised over several texts, in bytes: shorter ones stand
// side by side by chance.
const minSpread = 8

// redactSpread replaces the encodings that are spread over texts which follow each other: the first part becomes the
// placeholder, the others empty.
func (f *fragments) redactSpread(texts []string) []string {
	whole, start := []byte(strings.Join(texts, "")), 0
	out := make([]string, len(texts))
	at, end := f.findSpread(whole, 0)
	for i, text := range texts {
		from := start
		for start += len(text); at < start; at, end = f.findSpread(whole, end) {
			if at >= from {
				out[i] += string(whole[from:at]) + f.replacements[string(whole[at:end])]
			}
			if from = min(end, start); end >= start {
				break
			}
		}
		out[i] += string(whole[from:start])
	}
	return out
}

// findSpread returns the place of the first encoding from a place on that is long enough; the end of the text for none.
func (f *fragments) findSpread(text []byte, from int) (at, end int) {
	for {
		at, end := f.find(text[from:])
		switch {
		case at < 0:
			return len(text), len(text)
		case end-at >= minSpread:
			return from + at, from + end
		}
		from += end
	}
}

// redact replaces prefixes of encodings before an ellipsis and suffixes after one, if they have at
// least minLength bytes.
func (f *fragments) redact(text string) string {
	if !strings.Contains(text, ellipsis) {
		return text
	}
	pieces := strings.Split(text, ellipsis)
	for i := range pieces {
		if i > 0 {
			pieces[i] = f.redactStart(pieces[i])
		}
		if i < len(pieces)-1 {
			pieces[i] = f.redactEnd(pieces[i])
		}
	}
	return strings.Join(pieces, ellipsis)
}

// redactEnd replaces the prefix of an encoding at the end of a text.
func (f *fragments) redactEnd(text string) string {
	for at := max(0, len(text)-f.longest); at+minLength <= len(text); at++ {
		for _, form := range f.byPrefix[text[at:at+minLength]] {
			if len(text)-at < len(form) && strings.HasPrefix(form, text[at:]) {
				return text[:at] + f.replacements[form]
			}
		}
	}
	return text
}

// redactStart replaces the suffix of an encoding at the start of a text.
func (f *fragments) redactStart(text string) string {
	for to := min(len(text), f.longest); to >= minLength; to-- {
		for _, form := range f.bySuffix[text[to-minLength:to]] {
			if to < len(form) && strings.HasSuffix(form, text[:to]) {
				return f.replacements[form] + text[to:]
			}
		}
	}
	return text
}
