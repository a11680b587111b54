// Package totp implements the tool of area totp: one-time codes for logins.
//
// It renders codes and how long they last; it never sees the secrets.
package totp

import (
	"context"
	"errors"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/totpapi"
	"github.com/callsheet/callsheet/internal/login/totp"
)

// Tools are the handlers of the area.
type Tools struct {
	codes  *totp.Codes
	digits bool
}

// New makes the handlers. Without digits no code is returned: it can be typed by name.
func New(codes *totp.Codes, digits bool) *Tools { return &Tools{codes: codes, digits: digits} }

var _ totpapi.Handlers = (*Tools)(nil)

// OcTotpGenerate tells a site's current code.
func (t *Tools) OcTotpGenerate(ctx context.Context, _ *toolkit.Call, in totpapi.OcTotpGenerateParams, powers totpapi.OcTotpGeneratePowers) (toolkit.Result, error) {
	if !t.digits {
		domain, err := totp.NormalizeDomain(in.Domain)
		if err != nil {
			return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, err.Error())
		}
		return toolkit.Result{}, toolkit.Refuse(toolkit.PolicyDenied, "codes are typed and not told: give {totp:"+domain+
			"} as the value of the field on "+domain+"; an operator has the digits told with --code-digits",
			toolkit.Field{Name: "surface", Value: "secret"})
	}
	code, err := t.codes.Generate(ctx, powers.Totp(), in.Domain, time.Now())
	var absent *totp.NotConfiguredError
	switch {
	case errors.As(err, &absent):
		return toolkit.Result{}, toolkit.Refuse(codes.NotFound,
			err.Error()+"; its operator can run: callsheet totp add "+in.Domain, toolkit.Field{Name: "domain", Value: in.Domain})
	case err != nil:
		return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, err.Error())
	}
	return toolkit.Textf("%s, for %d s more", code.Code, int(code.Remaining.Seconds())), nil
}
