package toolkit

import "slices"

// maxNotices is how many notices wait for the next result at most; later ones are dropped.
const maxNotices = 8

// AddNotice adds a text to the next result of the client, whatever the call. It is for changes that
// no call has caused, such as the end of a browser: without a notice the client would look for the
// reason in its own calls.
func (v *Session) AddNotice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !slices.Contains(v.notices, text) && len(v.notices) < maxNotices {
		v.notices = append(v.notices, text)
	}
}

// withNotices adds the notices since the last result.
func (v *Session) withNotices(res Result) Result {
	v.mu.Lock()
	notices := v.notices
	v.notices = nil
	v.mu.Unlock()
	res.Content = slices.Clip(res.Content)
	for _, text := range notices {
		res.Content = append(res.Content, Content{Text: "meanwhile: " + text})
	}
	return res
}
