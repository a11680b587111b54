package storage

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/storageapi"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
)

// cookie reads the cookie that a call names. Its attributes are written as in a Set-Cookie header,
// and as get shows them.
func cookie(in storageapi.CookiesParams) (webstorage.Cookie, error) {
	c := webstorage.Cookie{Name: in.Name.Value, Value: in.Value.Value, Path: "/"}
	for attribute := range strings.SplitSeq(in.Attributes.Value, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(attribute), "=")
		if name == "" && value == "" {
			continue
		}
		if err := setAttribute(&c, strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return c, err
		}
	}
	setOwnAttributes(&c, in)
	return c, nil
}

// setOwnAttributes sets the attributes that have parameters of their own.
func setOwnAttributes(c *webstorage.Cookie, in storageapi.CookiesParams) {
	if in.Domain.Set {
		c.Domain = in.Domain.Value
	}
	if in.Path.Set {
		c.Path = in.Path.Value
	}
	c.Secure = in.Secure.Or(c.Secure)
	c.HTTPOnly = in.HTTPOnly.Or(c.HTTPOnly)
	if in.SameSite.Set {
		c.SameSite = string(in.SameSite.Value)
	}
	if in.Expires.Set {
		c.Expires = time.UnixMilli(int64(in.Expires.Value * 1000))
	}
}

func setAttribute(c *webstorage.Cookie, name, value string) (err error) {
	switch strings.ToLower(name) {
	case "domain":
		c.Domain = value
	case "path":
		c.Path = value
	case "secure":
		c.Secure = true
	case "httponly":
		c.HTTPOnly = true
	case "samesite":
		c.SameSite, err = sameSite(value)
	case "max-age":
		var seconds int64
		if seconds, err = strconv.ParseInt(value, 10, 32); err != nil {
			return malformed("Max-Age is in whole seconds, not %q", value)
		}
		c.Expires = time.Now().Add(time.Duration(seconds) * time.Second)
	case "expires":
		c.Expires, err = expiry(value)
	default:
		known := []string{"Domain", "Path", "Secure", "HttpOnly", "SameSite", "Max-Age", "Expires"}
		if near := toolkit.Nearest(name, known); near != "" {
			return malformed("there is no cookie attribute %q, did you mean %q?", name, near)
		}
		return malformed("there is no cookie attribute %q; there are %s", name, strings.Join(known, ", "))
	}
	return err
}

func sameSite(value string) (string, error) {
	for _, known := range []string{"Strict", "Lax", "None"} {
		if strings.EqualFold(value, known) {
			return known, nil
		}
	}
	return "", malformed("SameSite is Strict, Lax or None, not %q", value)
}

// expiry reads a moment as headers write it, as get shows it, or in Unix seconds.
func expiry(value string) (time.Time, error) {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 && seconds < 1e12 {
		return time.UnixMilli(int64(seconds * 1000)), nil
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return at, nil
	}
	if at, err := http.ParseTime(value); err == nil {
		return at, nil
	}
	return time.Time{}, malformed("Expires is a date such as 2030-01-31T00:00:00Z, not %q", value)
}

func malformed(format string, a ...any) error {
	return toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf(format, a...))
}
