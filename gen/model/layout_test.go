package model_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/model"
)

func TestIsDocument(t *testing.T) {
	t.Parallel()
	layout := model.Layout{Docs: []string{"docs", "README.md"}}
	for name, want := range map[string]bool{
		"README.md": true, "docs/a.md": true, "docs/how-to/a.md": true, "docs/adr/0001-a.md": false, "docs/a.txt": false,
		"CHANGELOG.md": false, "docsets/a.md": false,
	} {
		if got := layout.IsDocument(name); got != want {
			t.Errorf("%s is a document: %v", name, got)
		}
	}
}
