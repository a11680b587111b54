package notices_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/scripts/packaging/internal/notices"
)

// TestText reads the licences of modules that are linked on every system, on one system, and embedded.
func TestText(t *testing.T) {
	t.Parallel()
	text, err := notices.Text(t.Context(), "../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"\ngithub.com/chromedp/chromedp v", "\ngithub.com/danieljoos/wincred v", "axe-core", "Mozilla Public License",
		"Redistribution and use in source and binary forms",
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the notices lack %q", part)
		}
	}
	if strings.Contains(string(text), "\ngithub.com/callsheet/") {
		t.Error("the notices list a module of this repository")
	}
}
