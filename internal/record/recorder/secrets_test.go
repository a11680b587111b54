package recorder

import (
	"fmt"
	"strings"
	"testing"
)

// TestTypedValuesOutliveTokens: a page that stores any number of tokens does not make a recording
// forget a password.
func TestTypedValuesOutliveTokens(t *testing.T) {
	t.Parallel()
	var k secretValues
	if got := k.redact("nothing is known"); got != "nothing is known" {
		t.Errorf("%q", got)
	}
	k.addTyped("correct horse")
	var list []string
	for i := range 3 * maxSecretValues {
		list = append(list, fmt.Sprintf(`"token-%08d"`, i))
	}
	k.addTokens([]string{"{\"all\":[" + strings.Join(list, ",") + "]}"})
	k.addTyped("battery staple")
	if got, want := k.redact("correct horse, battery staple, token-00000299, token-00000000"), "[masked], [masked], [masked], token-00000000"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(k.values()); n != maxSecretValues {
		t.Errorf("%d values are known", n)
	}
	for i := range 2 * maxSecretValues {
		k.addTyped(fmt.Sprintf("typed %d", i))
	}
	if n := len(k.values()); n != maxSecretValues || k.redact("typed 199") != Mask {
		t.Errorf("%d values are known", n)
	}
}
