package profile_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestProfileWithoutABrowser(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Expect("oc_profile_status", nil, `"profileType":"temporary"`)
	c.ExpectRefusal("NOT_FOUND", "list_profiles", tooltest.Args{"userDataDir": t.TempDir()}, "Local State")
}
