package secret

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/joho/godotenv"

	"github.com/callsheet/callsheet/gen/toolkit"
)

var (
	// boundLine matches the beginning of a line NAME@ORIGIN=value.
	boundLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^([ \t]*(?:export[ \t]+)?)([A-Za-z_][A-Za-z0-9_]*@[^\s=]+)[ \t]*=`)
	})
	// boundKey is the key under which godotenv, which knows no such names, reads one.
	boundKey = "CALLSHEET_BOUND_SECRET_%d"
)

// parseFile reads NAME=value and NAME@ORIGIN=value lines. Its errors continue the name of the file, and
// quote no line.
func parseFile(text string) (map[string]string, error) {
	var bound []string
	plain := boundLine().ReplaceAllStringFunc(text, func(line string) string {
		m := boundLine().FindStringSubmatch(line)
		bound = append(bound, m[2])
		return m[1] + fmt.Sprintf(boundKey, len(bound)-1) + "="
	})
	values, err := godotenv.Unmarshal(plain)
	if err != nil { // err may quote a line of the file
		return nil, errors.New("is no dotenv file of NAME=value lines")
	}
	for i, name := range bound {
		key := fmt.Sprintf(boundKey, i)
		value, ok := values[key]
		if !ok { // the line is part of a value of several lines
			return nil, errors.New("has a value of several lines with a line in it that looks like NAME@ORIGIN=value")
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("defines %s twice", name)
		}
		delete(values, key)
		values[name] = value
	}
	return values, nil
}

// parseOrigin returns an origin in the form in which browsers write it.
func parseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is no origin; give one such as NAME@https://bank.example", text)
	}
	host := strings.ToLower(u.Host)
	if strings.ContainsFunc(host, func(r rune) bool { return r > '~' || r == '*' }) {
		return "", fmt.Errorf("%q: an origin is one host in ASCII letters (xn--…)", text)
	}
	if port := u.Port(); port == map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host, nil
}

// checkCodeOrigin returns a refusal unless a code of a domain may be typed into an origin: the domain
// itself or one below it, encrypted or on this machine.
func checkCodeOrigin(domain, origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Hostname() == "" {
		return wrongOrigin("the code of "+domain, domain, origin)
	}
	host := u.Hostname()
	if host != domain && !strings.HasSuffix(host, "."+domain) {
		return wrongOrigin("the code of "+domain, domain, origin)
	}
	ip := net.ParseIP(host)
	local := host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && !local {
		return wrongOrigin("the code of "+domain, "https://"+domain, origin)
	}
	return nil
}

// wrongOrigin is the refusal of a secret in a document of an origin that it is not for.
func wrongOrigin(what, bound, origin string) error {
	if origin == "" || origin == "null" {
		origin = "no origin (a sandboxed frame, a file or a data: address)"
	}
	return toolkit.Refuse(toolkit.PolicyDenied, fmt.Sprintf("%s is bound to %s, and the document has %s; nothing was typed", what, bound, origin),
		toolkit.Field{Name: "surface", Value: "secret"})
}
