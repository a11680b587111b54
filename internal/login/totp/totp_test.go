package totp_test

import (
	"bytes"
	"encoding/base32"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/callsheet/callsheet/internal/login/totp"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// TestRFC6238 compares codes with the test vectors of appendix B.
func TestRFC6238(t *testing.T) {
	keyring.MockInit()
	seeds := map[string]string{
		"SHA1": "12345678901234567890", "SHA256": "12345678901234567890123456789012",
		"SHA512": "1234567890123456789012345678901234567890123456789012345678901234",
	}
	vectors := map[int64][3]string{
		59:          {"94287082", "46119246", "90693936"},
		1111111109:  {"07081804", "68084774", "25091201"},
		1111111111:  {"14050471", "67062674", "99943326"},
		1234567890:  {"89005924", "91819424", "93441116"},
		2000000000:  {"69279037", "90698825", "38618901"},
		20000000000: {"65353130", "77737706", "47863826"},
	}
	for i, hash := range []string{"SHA1", "SHA256", "SHA512"} {
		secret := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(seeds[hash]))
		t.Setenv("CALLSHEET_TOTP_EXAMPLE_COM", "otpauth://totp/x?digits=8&algorithm="+hash+"&secret="+secret)
		for at, want := range vectors {
			got, err := totp.New(nil).Generate(t.Context(), powertest.Totp, "Example.com.", time.Unix(at, 0))
			if err != nil || got.Code != want[i] {
				t.Errorf("%s at %d: %s, %v; want %s", hash, at, got.Code, err, want[i])
			}
			if left := time.Duration(30-at%30) * time.Second; got.Remaining != left || got.Expires.Unix() != at+30-at%30 {
				t.Errorf("%s at %d expires in %v at %v", hash, at, got.Remaining, got.Expires)
			}
		}
	}
}

func TestSourcesOfSecrets(t *testing.T) {
	keyring.MockInit()
	dir, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := totp.NewFile(dir, seal.New(func() (string, error) { return "correct horse battery", nil }))
	codes, now := totp.New(file), time.Unix(59, 0)
	var absent *totp.NotConfiguredError
	if _, err := codes.Generate(t.Context(), powertest.Totp, "example.com", now); !errors.As(err, &absent) {
		t.Errorf("without a secret: %v", err)
	}
	const one, two, three = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "jbsw y3dp ehpk 3pxp", "MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK"
	if err := keyring.Set(totp.Service, "example.com", one); err != nil {
		t.Fatal(err)
	}
	first, err := codes.Generate(t.Context(), powertest.Totp, "example.com", now)
	if err != nil || first.Code != "287082" { // the RFC's, in six digits
		t.Errorf("from the keyring: %+v, %v", first, err)
	}
	if had, err := file.Set("example.com", two); err != nil || had {
		t.Fatal(had, err)
	}
	second, err := codes.Generate(t.Context(), powertest.Totp, "example.com", now)
	if err != nil || second.Code == first.Code {
		t.Errorf("from the file: %+v, %v", second, err)
	}
	t.Setenv(totp.Variable("example.com"), three)
	third, err := codes.Generate(t.Context(), powertest.Totp, "example.com", now)
	if err != nil || third.Code == second.Code {
		t.Errorf("from the environment: %+v, %v", third, err)
	}
	kept, err := os.ReadFile(file.Path())
	if err != nil || bytes.Contains(kept, []byte("ehpk")) {
		t.Errorf("the file shows the secret: %v", err)
	}
	if names, err := file.Domains(); err != nil || strings.Join(names, " ") != "example.com" {
		t.Error(names, err)
	}
	wrong := totp.NewFile(dir, seal.New(func() (string, error) { return "another horse battery", nil }))
	if _, err := wrong.Set("b.org", one); !errors.Is(err, seal.ErrNotOpened) {
		t.Errorf("a file that does not open was replaced: %v", err)
	}
	if had, err := file.Set("example.com", ""); err != nil || !had {
		t.Error(had, err)
	}
}

// TestErrorsContainNoSecret uses invalid secrets.
func TestErrorsContainNoSecret(t *testing.T) {
	keyring.MockInit()
	for _, bad := range []string{"hunter2!", "otpauth://hotp/x?secret=HUNTER2", "otpauth://totp/x?secret=hunter2!", "otpauth://totp/x?period=0&secret=HUNTER2"} {
		t.Setenv(totp.Variable("a.b"), bad)
		_, err := totp.New(nil).Generate(t.Context(), powertest.Totp, "a.b", time.Now())
		if err == nil || strings.Contains(strings.ToLower(err.Error()), "hunter2") {
			t.Errorf("%s: %v", bad, err)
		}
		if err := totp.Check(bad); err == nil || strings.Contains(strings.ToLower(err.Error()), "hunter2") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := totp.New(nil).Generate(t.Context(), powertest.Totp, "../etc", time.Now()); err == nil {
		t.Error("a path is no domain")
	}
}
