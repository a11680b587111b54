package secret

import "strings"

// cutMark stands in results where something was left out.
const cutMark = "…"

// edges knows the forms of values by their first and last bytes, to recognise one of which a cut has left a part.
type edges struct {
	heads, tails map[string][]string
	of           map[string]string // form → what takes its place
	widest       int               // bytes of the longest form
}

func newEdges(of map[string]string, all []string) edges {
	e := edges{heads: map[string][]string{}, tails: map[string][]string{}, of: of}
	for _, form := range all {
		head, tail := form[:minLength], form[len(form)-minLength:]
		e.heads[head], e.tails[tail] = append(e.heads[head], form), append(e.tails[tail], form)
		e.widest = max(e.widest, len(form))
	}
	return e
}

// clear takes out what cuts have left of values: their beginnings before a mark, and their ends after one, from minLength bytes on.
func (e edges) clear(text string) string {
	if !strings.Contains(text, cutMark) {
		return text
	}
	pieces := strings.Split(text, cutMark)
	for i := range pieces {
		if i > 0 {
			pieces[i] = e.withoutEnd(pieces[i])
		}
		if i < len(pieces)-1 {
			pieces[i] = e.withoutBeginning(pieces[i])
		}
	}
	return strings.Join(pieces, cutMark)
}

// withoutBeginning takes the beginning of a value from the end of a text.
func (e edges) withoutBeginning(text string) string {
	for at := max(0, len(text)-e.widest); at+minLength <= len(text); at++ {
		for _, form := range e.heads[text[at:at+minLength]] {
			if len(text)-at < len(form) && strings.HasPrefix(form, text[at:]) {
				return text[:at] + e.of[form]
			}
		}
	}
	return text
}

// withoutEnd takes the end of a value from the beginning of a text.
func (e edges) withoutEnd(text string) string {
	for to := min(len(text), e.widest); to >= minLength; to-- {
		for _, form := range e.tails[text[to-minLength:to]] {
			if to < len(form) && strings.HasSuffix(form, text[:to]) {
				return e.of[form] + text[to:]
			}
		}
	}
	return text
}
