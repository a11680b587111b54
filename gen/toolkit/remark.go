package toolkit

import "slices"

// maxRemarks bounds what a client that does not call is told when it does.
const maxRemarks = 8

// Remark has the next answer to the client, whatever it is, say something that no call of it has caused, such as the end
// of a browser: a client that learns of it only from what it can no longer do would look for a mistake of its own.
func (v *Session) Remark(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !slices.Contains(v.remarks, text) && len(v.remarks) < maxRemarks {
		v.remarks = append(v.remarks, text)
	}
}

// withRemarks adds what has been remarked since the last answer.
func (v *Session) withRemarks(res Result) Result {
	v.mu.Lock()
	remarks := v.remarks
	v.remarks = nil
	v.mu.Unlock()
	res.Content = slices.Clip(res.Content)
	for _, text := range remarks {
		res.Content = append(res.Content, Content{Text: "meanwhile: " + text})
	}
	return res
}
