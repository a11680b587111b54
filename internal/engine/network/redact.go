package network

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/text"
)

// Redacted stands in place of a secret.
const Redacted = "REDACTED"

// isSecretHeader matches headers whose values let a reader act as the user.
func isSecretHeader(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{"authorization", "proxy-authorization", "cookie", "set-cookie"}, name) ||
		strings.HasPrefix(name, "x-") && isSecretMember(name)
}

// isSecretParameter matches names of query parameters and form fields that usually hold a secret.
func isSecretParameter(name string) bool {
	return slices.Contains([]string{"code", "state", "key", "session", "sid", "assertion", "sig"}, strings.ToLower(name)) || isSecretMember(name)
}

// isSecretMember matches names of JSON members that usually hold a secret. It is narrower than for parameters: a "code" or
// "state" in an answer is seldom one.
func isSecretMember(name string) bool {
	name = strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "", "[", "", "]", "").Replace(name))
	if slices.Contains([]string{"auth", "pin", "otp", "pwd", "pass", "jwt"}, name) {
		return true
	}
	for _, part := range []string{
		"token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "credential", "signature", "sessionid",
		"sessid", "authorization", "csrf", "xsrf", "idtoken", "cvv", "cardnumber",
	} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// RedactURL removes secrets from an address: its user, and values of parameters by their names, in the query and in a
// fragment that looks like one. Everything else stays byte for byte.
func RedactURL(address string) string {
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		return "data:" + text.ClipRunes(rest, 100)
	}
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		end := len(rest)
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			end = i
		}
		if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
			address = scheme + "://" + Redacted + "@" + rest[at+1:]
		}
	}
	head, fragment, hashed := strings.Cut(address, "#")
	if path, query, ok := strings.Cut(head, "?"); ok {
		head = path + "?" + redactForm(query)
	}
	if hashed {
		if strings.Contains(fragment, "=") {
			fragment = redactForm(fragment)
		}
		head += "#" + fragment
	}
	return head
}

// SecretsIn lists the values that RedactURL takes out of an address, as they are written there and as they read.
func SecretsIn(address string) (out []string) {
	head, fragment, _ := strings.Cut(address, "#")
	_, query, _ := strings.Cut(head, "?")
	for pair := range strings.SplitSeq(query+"&"+fragment, "&") {
		raw, value, ok := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(raw)
		if err != nil {
			name = raw
		}
		if !ok || value == "" || !isSecretParameter(name) {
			continue
		}
		out = append(out, value)
		if plain, err := url.QueryUnescape(value); err == nil && plain != value {
			out = append(out, plain)
		}
	}
	if u, err := url.Parse(address); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok && password != "" {
			out = append(out, password)
		}
	}
	return out
}

// redactForm removes secrets from a=b&c=d.
func redactForm(form string) string {
	pairs := strings.Split(form, "&")
	for i, pair := range pairs {
		raw, _, ok := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(raw)
		if err != nil {
			name = raw
		}
		if ok && isSecretParameter(name) {
			pairs[i] = raw + "=" + Redacted
		}
	}
	return strings.Join(pairs, "&")
}

// RedactHeader removes the secret of a header.
func RedactHeader(name, value string) string {
	switch lower := strings.ToLower(name); {
	case isSecretHeader(name):
		return Redacted
	case lower == "location" || lower == "referer" || lower == "content-location":
		return RedactURL(value)
	}
	return value
}

// jsonMember matches a member of a JSON text with a string or number for a value.
// It is compiled when it is first needed.
var jsonMember = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"((?:[^"\\]|\\.){1,100})"(\s*:\s*)("(?:[^"\\]|\\.)*"?|-?[0-9][0-9.eE+-]*)`)
})

// redactText removes secrets from a text body by the names of JSON members and form fields.
func redactText(text, mime string) string {
	if strings.Contains(mime, "x-www-form-urlencoded") {
		return redactForm(text)
	}
	if !strings.ContainsAny(text, "{[") {
		return text
	}
	return jsonMember().ReplaceAllStringFunc(text, func(member string) string {
		m := jsonMember().FindStringSubmatch(member)
		if !isSecretMember(m[1]) {
			return member
		}
		return `"` + m[1] + `"` + m[2] + `"` + Redacted + `"`
	})
}

// minSecretLength is the shortest text that is taken for a secret wherever it occurs; a shorter one would be found by chance.
const minSecretLength = 6

// secretReplacer are the values that Redact takes out of a record by name, so that they can be taken out of texts in which they come
// back without one: a page that shows the address it was asked for, an answer that repeats a token.
func secretReplacer(entries []Entry) *strings.Replacer {
	found := map[string]bool{}
	note := func(value string) {
		if plain, err := url.QueryUnescape(value); err == nil && len(plain) >= minSecretLength {
			found[plain] = true
		}
		if len(value) >= minSecretLength {
			found[value] = true
		}
	}
	form := func(text string) {
		for pair := range strings.SplitSeq(text, "&") {
			if name, value, ok := strings.Cut(pair, "="); ok && isSecretParameter(name) {
				note(value)
			}
		}
	}
	for _, e := range entries {
		for _, h := range slices.Concat(e.RequestHeaders, e.ResponseHeader) {
			if !isSecretHeader(h.Name) {
				continue
			}
			note(h.Value)
			for part := range strings.SplitSeq(h.Value, ";") { // cookies
				if _, value, ok := strings.Cut(part, "="); ok && strings.HasSuffix(strings.ToLower(h.Name), "cookie") {
					note(strings.TrimSpace(value))
				}
			}
			if _, value, ok := strings.Cut(h.Value, " "); ok && strings.HasSuffix(strings.ToLower(h.Name), "authorization") {
				note(value)
			}
		}
		if _, query, ok := strings.Cut(e.URL, "?"); ok {
			form(query)
		}
		if strings.Contains(headerValue(e.RequestHeaders, "content-type"), "urlencoded") {
			form(e.PostData)
		}
	}
	var pairs []string
	for value := range found {
		switch strings.ToLower(value) {
		case "strict", "session", "httponly", "secure": // attributes of cookies
			continue
		}
		pairs = append(pairs, value, Redacted)
	}
	return strings.NewReplacer(pairs...)
}

// RedactAll returns requests without their secrets, by name and wherever else in the texts of the record they come back.
// all is the whole record that they are from.
func RedactAll(entries, all []Entry) []Entry {
	known := secretReplacer(all)
	out := make([]Entry, len(entries))
	for i, e := range entries {
		e = e.Redact()
		e.PostData = known.Replace(e.PostData)
		if IsText(e.MIME) {
			e.Body = []byte(known.Replace(string(e.Body)))
		}
		out[i] = e
	}
	return out
}
