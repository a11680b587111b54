package chromium

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestPreferencesOfAProfile turns the history of forms off in profiles that have other preferences, none, or a broken file.
func TestPreferencesOfAProfile(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"none": "", "others": `{"autofill":{"profile_enabled":true,"x":1},"homepage":"about:blank"}`, "a group that is no object": `{"autofill":3}`,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "Default", "Preferences")
		if before != "" {
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := writePreferences(dir); err != nil {
			t.Error(name, err)
		}
		var got struct {
			Autofill struct {
				Profile *bool `json:"profile_enabled"`
				X       int
			}
			Homepage    string
			Credentials *bool `json:"credentials_enable_service"`
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || got.Autofill.Profile == nil || *got.Autofill.Profile || got.Credentials == nil || *got.Credentials {
			t.Errorf("%s: %v %s", name, err, text)
		}
		if name == "others" && (got.Autofill.X != 1 || got.Homepage != "about:blank") {
			t.Errorf("%s: other preferences are lost: %s", name, text)
		}
		if err := writePreferences(dir); err != nil {
			t.Error(err)
		}
		if again, _ := os.ReadFile(path); string(again) != string(text) {
			t.Errorf("%s: written again as %s", name, again)
		}
	}
	broken := t.TempDir()
	path := filepath.Join(broken, "Default", "Preferences")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writePreferences(broken); err != nil {
		t.Error(err)
	}
}
