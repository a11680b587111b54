package person_test

import (
	"os"
	"testing"

	"github.com/callsheet/callsheet/internal/jsbundle"
)

func TestListenerBundleIsCurrent(t *testing.T) {
	t.Parallel()
	built, err := jsbundle.Build("js/main.js", "callsheetPersonRuns", "callsheet:callsheetPerson")
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("bundle.js")
	if err != nil {
		t.Fatal(err)
	}
	if string(built) != string(committed) {
		t.Error("bundle.js is stale: run go generate ./internal/record/person")
	}
}
