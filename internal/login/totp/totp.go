// Package totp generates one-time codes (RFC 6238). Their secrets come from the environment, an
// encrypted file, or the keyring of the operating system.
//
// The package returns codes and never a secret. It must not know tools or browsers.
package totp

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
	"github.com/zalando/go-keyring"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
)

// Service is the service name of secrets in the keyring; the account is the domain.
const Service = "callsheet-totp"

// NotConfiguredError says that neither environment, file nor keyring has a secret for a domain.
type NotConfiguredError struct{ Domain string }

func (e *NotConfiguredError) Error() string { return "no secret is configured for " + e.Domain }

// Code implements fault.Coded.
func (e *NotConfiguredError) Code() codes.Code { return codes.NotFound }

// Fields names the domain.
func (e *NotConfiguredError) Fields() []fault.Field {
	return []fault.Field{{Name: "domain", Value: e.Domain}}
}

// Code is a one-time code.
type Code struct {
	Code      string
	Expires   time.Time // start of the next period
	Remaining time.Duration
}

// Codes generates codes. It searches a secret in environment, encrypted file and keyring, in this
// order.
type Codes struct{ file *File }

// New returns Codes with the secrets of file, which may be nil, of the environment and of the
// keyring.
func New(file *File) *Codes { return &Codes{file: file} }

// Generate returns the code of a domain at a time. The errors are NotConfiguredError, those of
// package seal for the file, and one for an invalid secret. No error contains a part of the secret.
func (c *Codes) Generate(ctx context.Context, p power.Totp, domain string, now time.Time) (Code, error) {
	if err := p.Check(); err != nil {
		return Code{}, err
	}
	domain, err := NormalizeDomain(domain)
	if err != nil {
		return Code{}, err
	}
	text, err := c.secret(ctx, domain)
	if err != nil {
		return Code{}, err
	}
	secret, opts, err := parseSecret(text)
	if err != nil {
		return Code{}, fmt.Errorf("the secret for %s: %w", domain, err)
	}
	code, err := totp.GenerateCodeCustom(secret, now, opts)
	if err != nil { // its text may repeat the secret
		return Code{}, fault.New(codes.Failed, fmt.Sprintf("the secret for %s is not base32", domain))
	}
	period := time.Duration(opts.Period) * time.Second
	expires := now.Truncate(period).Add(period)
	return Code{Code: code, Expires: expires, Remaining: expires.Sub(now)}, nil
}

// Check returns an error unless secret is base32 or an otpauth:// URL. The error contains no part
// of the secret.
func Check(secret string) error {
	key, opts, err := parseSecret(secret)
	if err != nil {
		return err
	}
	if _, err := totp.GenerateCodeCustom(key, time.Unix(0, 0), opts); err != nil {
		return fault.New(codes.Failed, "it is not base32")
	}
	return nil
}

func (c *Codes) secret(ctx context.Context, domain string) (string, error) {
	if text := os.Getenv(Variable(domain)); text != "" {
		return text, nil
	}
	if c.file != nil {
		text, err := c.file.Get(domain)
		if err != nil || text != "" {
			return text, err
		}
	}
	text, err := fromKeyring(ctx, domain)
	if err != nil || text == "" { // an error means a machine without a keyring
		return "", &NotConfiguredError{Domain: domain}
	}
	return text, nil
}

// keyringTimeout bounds a call to the keyring, which may ask the user to unlock it.
const keyringTimeout = 5 * time.Second

func fromKeyring(ctx context.Context, domain string) (string, error) {
	type result struct {
		text string
		err  error
	}
	ctx, cancel := context.WithTimeout(ctx, keyringTimeout)
	defer cancel()
	got := make(chan result, 1)
	go func() {
		text, err := keyring.Get(Service, domain)
		got <- result{text, err}
	}()
	select {
	case a := <-got:
		return a.text, a.err
	case <-ctx.Done():
		return "", fmt.Errorf("ask the keyring: %w", ctx.Err())
	}
}

var (
	domainPattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$`) })
	invalidVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Z0-9]`) })
)

// NormalizeDomain returns a domain in lower case without a final dot.
func NormalizeDomain(text string) (string, error) {
	domain := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(text), "."))
	if len(domain) > 253 || !domainPattern().MatchString(domain) {
		return "", fault.New(codes.Failed, fmt.Sprintf("%q is no domain", text))
	}
	return domain, nil
}

// Variable returns the environment variable for the secret of a domain, such as
// CALLSHEET_TOTP_EXAMPLE_COM.
func Variable(domain string) string {
	return "CALLSHEET_TOTP_" + invalidVariable().ReplaceAllString(strings.ToUpper(domain), "_")
}

// parseSecret parses a secret as sites show it: base32 in groups, or an otpauth:// URL with period,
// digits and algorithm.
func parseSecret(text string) (secret string, opts totp.ValidateOpts, err error) {
	opts = totp.ValidateOpts{Period: 30, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "otpauth://") {
		clean := strings.NewReplacer(" ", "", "-", "").Replace(strings.ToUpper(text))
		if clean == "" {
			return "", opts, fault.New(codes.Failed, "it is empty")
		}
		return clean, opts, nil
	}
	if u, err := url.Parse(text); err != nil || u.Host != "totp" {
		return "", opts, fault.New(codes.Failed, "it is no otpauth://totp/ address")
	}
	key, err := otp.NewKeyFromURL(text)
	if err != nil || key.Secret() == "" || key.Period() == 0 || key.Period() > 3600 {
		return "", opts, fault.New(codes.Failed, "it is no usable otpauth address")
	}
	return key.Secret(), totp.ValidateOpts{Period: uint(key.Period()), Digits: key.Digits(), Algorithm: key.Algorithm()}, nil
}
