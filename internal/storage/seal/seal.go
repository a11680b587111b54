// Package seal encrypts stored secrets with a passphrase of the operator, which is stored nowhere.
//
// It uses AES-256-GCM with a key that PBKDF2 derives from the passphrase and a salt per text. The
// purpose of a text is authenticated: a text that is moved to another place does not open. The
// package must not know the content of texts.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// KeyVariable is the environment variable with the passphrase; KeyFileVariable the one with the
// path of a file that holds it.
const (
	KeyVariable     = "CALLSHEET_KEY"
	KeyFileVariable = "CALLSHEET_KEY_FILE"
)

// minPassphrase is the length of the shortest accepted passphrase, in characters.
const minPassphrase = 16

var (
	// ErrNoKey says how to provide a passphrase. There is no default passphrase: it would protect
	// nothing.
	ErrNoKey = fault.New(codes.PolicyDenied, fmt.Sprintf(
		"there is no key to keep secrets under: put a passphrase of at least %d characters into %s, or into a file that %s names",
		minPassphrase, KeyVariable, KeyFileVariable), fault.Field{Name: "surface", Value: "file"})
	// ErrNotOpened is returned for a wrong key, a changed text and a text that was sealed for
	// another purpose. Authenticated encryption does not distinguish them.
	ErrNotOpened = fault.New(codes.Failed, "it does not open: the key is another one, or the text was changed")
)

// Sealer encrypts and decrypts. It reads the passphrase at the first use. Its methods are safe for
// concurrent use.
type Sealer struct {
	passphrase func() (string, error)

	mu      sync.Mutex
	ciphers map[[saltSize]byte]cipher.AEAD // by salt, because deriving a key takes about half a second
}

// The format of a sealed text: magic, salt, nonce, ciphertext.
const (
	magic    = "callsheet sealed 1\n"
	saltSize = 16
	// iterations follows OWASP's Password Storage Cheat Sheet (2023) for PBKDF2 with SHA-256.
	iterations = 600_000
)

// New returns a sealer with a source of the passphrase, usually FromEnvironment.
func New(passphrase func() (string, error)) *Sealer {
	return &Sealer{passphrase: passphrase, ciphers: make(map[[saltSize]byte]cipher.AEAD)}
}

// FromEnvironment returns the passphrase of the environment. Without one the error is ErrNoKey.
func FromEnvironment() (string, error) {
	if key := os.Getenv(KeyVariable); key != "" {
		return key, nil
	}
	path := os.Getenv(KeyFileVariable)
	if path == "" {
		return "", ErrNoKey
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the key that %s names: %w", KeyFileVariable, err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// CheckKey returns an error without a usable passphrase, so that callers can fail before they ask
// the user for secrets.
func (s *Sealer) CheckKey() error {
	_, err := s.validPassphrase()
	return err
}

// validPassphrase returns the passphrase if it is long enough.
func (s *Sealer) validPassphrase() (string, error) {
	passphrase, err := s.passphrase()
	if err == nil && len([]rune(passphrase)) < minPassphrase {
		err = fault.New(codes.Failed, fmt.Sprintf("the key has fewer than %d characters; make one with: openssl rand -base64 32", minPassphrase))
	}
	return passphrase, err
}

// Seal encrypts plain for a purpose such as "totp example.com". Open needs the same purpose.
func (s *Sealer) Seal(purpose string, plain []byte) ([]byte, error) {
	var salt [saltSize]byte
	_, _ = rand.Read(salt[:]) // it never fails
	aead, err := s.cipherFor(salt)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce)
	out := append(append([]byte(magic), salt[:]...), nonce...)
	return aead.Seal(out, nonce, plain, []byte(magic+purpose)), nil
}

// Open decrypts a text that Seal encrypted for the same purpose. The error for any other text is
// ErrNotOpened.
func (s *Sealer) Open(purpose string, sealed []byte) ([]byte, error) {
	rest, ok := strings.CutPrefix(string(sealed), magic)
	if !ok || len(rest) < saltSize {
		return nil, ErrNotOpened
	}
	aead, err := s.cipherFor([saltSize]byte([]byte(rest[:saltSize])))
	if err != nil {
		return nil, err
	}
	rest = rest[saltSize:]
	if len(rest) < aead.NonceSize() {
		return nil, ErrNotOpened
	}
	nonce, text := rest[:aead.NonceSize()], rest[aead.NonceSize():]
	plain, err := aead.Open(nil, []byte(nonce), []byte(text), []byte(magic+purpose))
	if err != nil {
		return nil, ErrNotOpened
	}
	return plain, nil
}

// cipherFor returns the cipher with the key for a salt.
func (s *Sealer) cipherFor(salt [saltSize]byte) (cipher.AEAD, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if aead, ok := s.ciphers[salt]; ok {
		return aead, nil
	}
	passphrase, err := s.validPassphrase()
	if err != nil {
		return nil, err
	}
	key, err := pbkdf2.Key(sha256.New, passphrase, salt[:], iterations, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive the key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("derive the key: %w", err)
	}
	s.ciphers[salt] = aead
	return aead, nil
}
