package parallel

import (
	"strings"
	"testing"
)

// TestDataWithASecretOfDigits: a number that holds a secret's digits by accident is no reason to
// refuse what was collected.
func TestDataWithASecretOfDigits(t *testing.T) {
	t.Parallel()
	tools := New(nil, nil, nil, strings.NewReplacer("1234", "[secret:PIN]").Replace)
	got, err := tools.data([]byte(`{"price":51234,"name":"x"}`))
	if err != nil || string(got["price"]) != `"5[secret:PIN]"` || string(got["name"]) != `"x"` {
		t.Errorf("%s, %v", got, err)
	}
}
