package changelog

import "testing"

func TestSection(t *testing.T) {
	const text = "# Changelog\n\n## Unreleased\n\n- new\n\n## [1.1.0] - 2026-01-02\n\n### Added\n\n- one\n\n## 1.0.0\n\n- first\n"
	for version, want := range map[string]struct {
		section string
		named   bool
	}{
		"1.2.0": {"- new\n", false},
		"1.1.0": {"### Added\n\n- one\n", true},
		"1.0.0": {"- first\n", true},
	} {
		if section, named, err := Section(text, version); section != want.section || named != want.named || err != nil {
			t.Errorf("%s: %q, %v, %v", version, section, named, err)
		}
	}
	if _, _, err := Section("# Changelog\n\n## Unreleased\n\n## 1.0.0\n\n- first\n", "1.1.0"); err == nil {
		t.Error("an empty section is accepted")
	}
}
