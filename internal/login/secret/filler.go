package secret

import (
	"context"
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"
)

// CodeFunc returns the one-time code of a domain.
type CodeFunc func(ctx context.Context, domain string) (string, error)

// Filler fills references into text that is typed into, or sent to, an origin. It keeps the values that
// it filled in out of the results of all calls.
type Filler struct {
	vault        *Vault
	codes        CodeFunc
	allowScripts bool

	mu     sync.Mutex
	issued []issuedCode      // latest last
	typed  map[string]string // the encodings of typed secrets and their placeholders
	fills  int
}

// issuedCode is a code that a page was given, and the placeholder that takes its place in results.
type issuedCode struct {
	code, placeholder string
	at                time.Time
}

const (
	codeLife       = 10 * time.Minute // how long a code is kept out of results
	maxIssuedCodes = 32
)

// NewFiller returns a Filler. vault may be nil. allowScripts lets scripts of callers run on documents
// that were filled.
func NewFiller(vault *Vault, codes CodeFunc, allowScripts bool) *Filler {
	return &Filler{vault: vault, codes: codes, allowScripts: allowScripts, typed: map[string]string{}}
}

// reference matches a reference to a secret or to a one-time code.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(secret|totp):([^{}\s]*)\}`) })

// Fill replaces the references of a text by values for an origin. Each error is a refusal, and then
// nothing is filled in.
func (f *Filler) Fill(ctx context.Context, text, origin string) (string, error) {
	var refused error
	out := reference().ReplaceAllStringFunc(text, func(ref string) string {
		value, err := f.value(ctx, ref, origin)
		if refused == nil {
			refused = err
		}
		return value
	})
	if refused != nil {
		return "", refused
	}
	return out, nil
}

func (f *Filler) value(ctx context.Context, ref, origin string) (string, error) {
	m := reference().FindStringSubmatch(ref)
	if m[1] == "secret" {
		value, err := f.vault.valueFor(m[2], origin)
		if err == nil {
			f.note(value, placeholder(m[2]))
		}
		return value, err
	}
	domain := strings.ToLower(m[2])
	if err := checkCodeOrigin(domain, origin); err != nil {
		return "", err
	}
	code, err := f.codes(ctx, domain)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fills++
	f.issued = append(f.issued, issuedCode{code, "[totp:" + domain + "]", time.Now()})
	if len(f.issued) > maxIssuedCodes {
		f.issued = f.issued[1:]
	}
	return code, nil
}

// note keeps the encodings of a value that a page gets.
func (f *Filler) note(value, mark string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.typed[value] == "" {
		addEncodings(f.typed, value, mark)
		f.fills++
	}
}

// Typed returns the encodings of the values that pages got, with their placeholders, and a version that grows with
// them; none of versions up to seen.
func (f *Filler) Typed(seen int) (version int, forms map[string]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fills <= seen {
		return f.fills, nil
	}
	forms = maps.Clone(f.typed)
	for _, c := range f.issued {
		forms[c.code] = c.placeholder
	}
	return f.fills, forms
}

// AllowsScripts reports whether scripts of callers may run on documents that were filled.
func (f *Filler) AllowsScripts() bool { return f.allowScripts }

// Redact removes secrets and recent codes from a text.
func (f *Filler) Redact(text string) string {
	text = f.vault.Redact(text)
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.issued) > 0 && time.Since(f.issued[0].at) > codeLife {
		f.issued = f.issued[1:]
	}
	for _, c := range f.issued {
		text = strings.ReplaceAll(text, c.code, c.placeholder)
	}
	return text
}

// RedactTexts removes secrets and recent codes from texts that follow each other, also those that are spread over
// several.
func (f *Filler) RedactTexts(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = f.Redact(text)
	}
	return f.vault.redactTexts(out)
}
