package tools_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestACodeWithoutItsSecret(t *testing.T) {
	keyring.MockInit() // no keyring of a person is asked
	c := connect(t, toolkit.Options{})
	c.refused("NOT_FOUND", "oc_totp_generate", args{"domain": "example.com"}, "callsheet totp add example.com")
	c.refused("FAILED", "oc_totp_generate", args{"domain": "../etc/passwd"}, "no domain")
	const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	t.Setenv("CALLSHEET_TOTP_EXAMPLE_COM", secret)
	if text := c.call("oc_totp_generate", args{"domain": "example.com"}); !regexp.MustCompile(`^\d{6}, for \d+ s more$`).MatchString(text) {
		t.Errorf("the code is %q", text)
	}
	t.Setenv("CALLSHEET_TOTP_EXAMPLE_COM", secret+"!")
	if e := c.refused("FAILED", "oc_totp_generate", args{"domain": "example.com"}, "base32"); strings.Contains(e["message"].(string), secret) {
		t.Error("the refusal repeats the secret")
	}
}
