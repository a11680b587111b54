package chromium

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// withoutFormHistory are the preferences by which a browser keeps nothing that was typed into forms: it would offer the
// value of a field to fields of the same name on every other site, and ask to save passwords.
var withoutFormHistory = map[string]map[string]any{
	"autofill": {"profile_enabled": false, "credit_card_enabled": false},
	"":         {"credentials_enable_service": false},
}

// writePreferences has the default profile of a user data directory keep nothing that was typed into forms. A file that
// is no object is left to the browser, which replaces it.
func writePreferences(dataDir string) error {
	path := filepath.Join(dataDir, "Default", "Preferences")
	prefs, changed := map[string]any{}, false
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &prefs) != nil {
		return nil
	}
	for group, values := range withoutFormHistory {
		into := prefs
		if group != "" {
			member, ok := prefs[group].(map[string]any)
			if !ok {
				member = map[string]any{}
				prefs[group] = member
			}
			into = member
		}
		for name, value := range values {
			changed = changed || into[name] != value
			into[name] = value
		}
	}
	if !changed {
		return nil
	}
	data, err := json.Marshal(prefs)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(path, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the preferences of the profile: %w", err)
	}
	return nil
}
