package run

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/param"
)

// TestValuesThatDoNotFit refuses a number that no client can read, and shows no part of a long text.
func TestValuesThatDoNotFit(t *testing.T) {
	t.Parallel()
	number := &param.Type{Kind: param.Number}
	if v, err := fit(json.Number("1e400"), number, ""); err == nil {
		t.Errorf("a number that no client can read is given: %v", v)
	}
	if _, err := fit(strings.Repeat("secret", 20), number, ""); err == nil || err.Error() != "a text of 120 bytes in place of a number" {
		t.Errorf("a part of a long text is shown: %v", err)
	}
}
