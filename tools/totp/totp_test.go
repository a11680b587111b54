package totp_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestCodeWithoutASecret(t *testing.T) {
	keyring.MockInit() // no keyring of a person is asked
	c := tooltest.NewServer(t, app.Config{CodeDigits: true, Surface: toolkit.Options{AllTools: true}}).Connect(t.Name(), "", nil)
	c.ExpectRefusal("NOT_FOUND", "oc_totp_generate", tooltest.Args{"domain": "example.com"}, "callsheet totp add example.com")
	c.ExpectRefusal("FAILED", "oc_totp_generate", tooltest.Args{"domain": "../etc/passwd"}, "no domain")
	const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	t.Setenv("CALLSHEET_TOTP_EXAMPLE_COM", secret)
	if text := c.Call("oc_totp_generate", tooltest.Args{"domain": "example.com"}); !regexp.MustCompile(`^\d{6}, for \d+ s more$`).MatchString(text) {
		t.Errorf("the code is %q", text)
	}
	t.Setenv("CALLSHEET_TOTP_EXAMPLE_COM", secret+"!")
	if e := c.ExpectRefusal("FAILED", "oc_totp_generate", tooltest.Args{"domain": "example.com"}, "base32"); strings.Contains(e["message"].(string), secret) {
		t.Error("the refusal repeats the secret")
	}
}
