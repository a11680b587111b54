package chromium

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := `{"profile":{"last_used":"Profile 1","info_cache":{
		"Profile 1":{"name":"Work","user_name":"ada@example.com"},"Default":{"name":"Person 1","user_name":""}}}}`
	if err := os.WriteFile(filepath.Join(dir, "Local State"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Profiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Profile{
		{Directory: "Default", Name: "Person 1"},
		{Directory: "Profile 1", Name: "Work", UserName: "ada@example.com", Active: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	if _, err := Profiles(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no profiles: %v", err)
	}
}
