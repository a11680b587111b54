package plain

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data, want string
		more       bool
	}{
		"ascii": {"a,b\n1,2\n", "a,b\n1,2", false}, "mark": {"\ufeffGrüße", "Grüße", false}, "latin": {"Gr\xfc\xdfe", "Grüße", false},
		"utf-16": {"\xff\xfeH\x00i\x00", "Hi", false}, "utf-16 big": {"\xfe\xff\x00H\x00i", "Hi", false},
		"long": {strings.Repeat("ü", 1000), strings.Repeat("ü", 28), true},
	} {
		got, more, err := Text(t.Context(), strings.NewReader(test.data), int64(len(test.data)), 60)
		if err != nil || more != test.more || !strings.HasPrefix(got, strings.TrimSpace(test.want)) || len(got) > 60 {
			t.Errorf("%s: %q %v %v", name, got, more, err)
		}
	}
	for name, data := range map[string]string{"picture": "\x89PNG\r\n\x1a\n\x00\x00", "archive": "PK\x03\x04\x14\x00", "empty": "", "binary": "\xff\x01\xfe"} {
		if got, _, err := Text(t.Context(), strings.NewReader(data), int64(len(data)), 60); !errors.Is(err, ErrNoText) {
			t.Errorf("%s has the text %q, %v", name, got, err)
		}
	}
}

// A file that is no PDF, or misleads its reader, ends in an error.
func FuzzPDF(f *testing.F) {
	f.Add([]byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]>>endobj\nxref\n0 2\n0000000000 65535 f \n0000000009 00000 n \ntrailer<</Root 1 0 R/Size 2>>\nstartxref\n80\n%%EOF"))
	f.Add([]byte("%PDF-"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _ = Text(t.Context(), bytes.NewReader(append([]byte("%PDF-"), data...)), int64(len(data)+5), 100)
	})
}
