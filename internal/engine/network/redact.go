package network

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/text"
)

// Redacted replaces a secret.
const Redacted = "REDACTED"

// isSecretHeader reports whether the values of a header authenticate the user.
func isSecretHeader(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{"authorization", "proxy-authorization", "cookie", "set-cookie"}, name) ||
		strings.HasPrefix(name, "x-") && isSecretMember(name)
}

// IsSecretHeader reports whether the values of a header authenticate the user, by its name.
func IsSecretHeader(name string) bool { return isSecretHeader(name) }

// IsSecretMember reports whether a JSON member usually holds a secret, by its name.
func IsSecretMember(name string) bool { return isSecretMember(name) }

// isSecretParameter reports whether a query parameter or form field of this name usually holds a
// secret.
func isSecretParameter(name string) bool {
	names := []string{"code", "state", "key", "session", "sid", "assertion", "sig"}
	return slices.Contains(names, strings.ToLower(name)) || isSecretMember(name)
}

// isSecretMember reports whether a JSON member of this name usually holds a secret. It accepts
// fewer names than isSecretParameter, because a "code" or "state" in a response is seldom a secret.
func isSecretMember(name string) bool {
	name = strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "", "[", "", "]", "").Replace(name))
	if slices.Contains([]string{"auth", "pin", "otp", "pwd", "pass", "jwt"}, name) {
		return true
	}
	for _, part := range []string{
		"token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "credential",
		"signature", "sessionid", "sessid", "authorization", "csrf", "xsrf", "idtoken", "cvv", "cardnumber",
	} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// RedactURL removes secrets from a URL: the user info, and values of secret parameters in the query
// and in a fragment that has the form of a query. It leaves all other bytes unchanged and shortens
// data: URLs.
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

// SecretsIn returns the values that RedactURL removes from a URL, percent-encoded as in the URL and
// decoded.
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

// redactForm removes secret values from a=b&c=d.
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

// RedactHeader returns the value of a header without secrets.
func RedactHeader(name, value string) string {
	switch lower := strings.ToLower(name); {
	case isSecretHeader(name):
		return Redacted
	case lower == "location" || lower == "referer" || lower == "content-location":
		return RedactURL(value)
	}
	return value
}

// jsonMember matches a member of a JSON text whose value is a string or number.
var jsonMember = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"((?:[^"\\]|\\.){1,100})"(\s*:\s*)("(?:[^"\\]|\\.)*"?|-?[0-9][0-9.eE+-]*)`)
})

// redactText removes the values of secret JSON members and form fields from a text body.
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

// minSecretLength is the shortest secret that RedactAll removes from bodies, in bytes. Shorter ones
// occur by chance.
const minSecretLength = 6

// secretReplacer replaces the values that Redact finds by name, so that RedactAll removes them from
// texts that repeat them without the name: a page that shows its own URL, a response that echoes a
// token.
func secretReplacer(entries []Entry) *strings.Replacer {
	found := map[string]bool{}
	add := func(value string) {
		if plain, err := url.QueryUnescape(value); err == nil && len(plain) >= minSecretLength {
			found[plain] = true
		}
		if len(value) >= minSecretLength {
			found[value] = true
		}
	}
	addForm := func(form string) {
		for pair := range strings.SplitSeq(form, "&") {
			if name, value, ok := strings.Cut(pair, "="); ok && isSecretParameter(name) {
				add(value)
			}
		}
	}
	for _, e := range entries {
		for _, h := range slices.Concat(e.RequestHeaders, e.ResponseHeader) {
			if !isSecretHeader(h.Name) {
				continue
			}
			add(h.Value)
			for part := range strings.SplitSeq(h.Value, ";") { // cookies
				if _, value, ok := strings.Cut(part, "="); ok && strings.HasSuffix(strings.ToLower(h.Name), "cookie") {
					add(strings.TrimSpace(value))
				}
			}
			if _, value, ok := strings.Cut(h.Value, " "); ok && strings.HasSuffix(strings.ToLower(h.Name), "authorization") {
				add(value)
			}
		}
		if _, query, ok := strings.Cut(e.URL, "?"); ok {
			addForm(query)
		}
		if strings.Contains(headerValue(e.RequestHeaders, "content-type"), "urlencoded") {
			addForm(e.PostData)
		}
	}
	var pairs []string
	for value := range found {
		switch strings.ToLower(value) {
		case "strict", "session", "httponly", "secure": // cookie attributes
			continue
		}
		pairs = append(pairs, value, Redacted)
	}
	return strings.NewReplacer(pairs...)
}

// RedactAll returns entries without secrets. It finds secrets by name in all and removes their
// values from every body. all is the whole content of the capture.
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

// SecretsInJSON returns the values of members of a JSON text whose names usually stand for a secret, as they
// are written between the quotation marks.
func SecretsInJSON(text string) (out []string) {
	if !strings.ContainsAny(text, "{[") {
		return nil
	}
	for _, m := range jsonMember().FindAllStringSubmatch(text, -1) {
		if isSecretMember(m[1]) {
			out = append(out, strings.Trim(m[3], `"`))
		}
	}
	return out
}
