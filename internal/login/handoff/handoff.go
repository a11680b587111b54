// Package handoff transfers a login between sessions, also between processes with the same state
// directory, by a token that is valid once and for a limited time.
//
// The login is encrypted with a key that only the token contains: the database alone reveals
// nothing, and the token alone is useless. The package must not know browsers, nor the content of a
// login.
package handoff

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/storage/database"
)

// The errors of Redeem.
var (
	ErrMalformed = denied("this is no handoff token")
	ErrUnknown   = fault.New(codes.NotFound, "no such handoff: the token is of another state directory, or was forgotten")
	ErrSpent     = denied("the token was redeemed before; each works once")
	ErrExpired   = denied("the token has expired")
	ErrTampered  = denied("the token was changed: its key does not open what was handed over")
)

func denied(message string) error {
	return fault.New(codes.PolicyDenied, message, fault.Field{Name: "surface", Value: "handoff"})
}

const (
	// prefix begins every token and makes tokens recognizable in logs.
	prefix  = "csh1."
	keySize = 32 // AES-256
	// retention is the time for which an expired or spent token has its own error instead of
	// ErrUnknown.
	retention = 7 * 24 * time.Hour
)

// Store holds the handoffs of a state directory. Its methods are safe for concurrent use, also by
// several processes.
type Store struct{ db *database.Store }

// New returns a store in a database.
func New(db *database.Store) *Store { return &Store{db: db} }

// Create encrypts and stores a login. It returns its token, which is stored nowhere, and the end of
// its validity.
func (s *Store) Create(
	ctx context.Context, p power.Secret, c identity.Context, ttl time.Duration,
) (token string, expires time.Time, err error) {
	if err := p.Check(); err != nil {
		return "", time.Time{}, err
	}
	plain, err := json.Marshal(c)
	if err != nil { // texts and times always marshal
		return "", time.Time{}, fmt.Errorf("encode the login: %w", err)
	}
	id, key := rand.Text(), make([]byte, keySize)
	_, _ = rand.Read(key) // it never fails
	now := time.Now()
	expires = now.Add(ttl).Truncate(time.Millisecond)
	aead, err := newCipher(key)
	if err != nil {
		return "", time.Time{}, err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce)
	sealed := aead.Seal(nonce, nonce, plain, additionalData(id, expires.UnixMilli()))
	err = s.db.Change(ctx, func(tx *sql.Tx) error {
		// Expired logins are erased at once; their rows stay for the retention.
		if _, err := tx.ExecContext(ctx, `UPDATE handoff SET sealed = NULL WHERE expires <= ?`, now.UnixMilli()); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM handoff WHERE expires <= ?`, now.Add(-retention).UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO handoff (id, expires, sealed) VALUES (?, ?, ?)`, id, expires.UnixMilli(), sealed)
		return err
	})
	if err != nil {
		return "", time.Time{}, fmt.Errorf("store the handoff: %w", err)
	}
	return prefix + id + "." + base64.RawURLEncoding.EncodeToString(key), expires, nil
}

// Redeem spends a token and returns its login. It calls accept with the login first and does not
// spend the token if accept fails. Of concurrent calls with one token, in any process, one
// succeeds.
func (s *Store) Redeem(
	ctx context.Context, p power.Secret, token string, accept func(identity.Context) error,
) (c identity.Context, err error) {
	if err := p.Check(); err != nil {
		return identity.Context{}, err
	}
	id, key, err := parseToken(token)
	if err != nil {
		return c, err
	}
	err = s.db.Change(ctx, func(tx *sql.Tx) error {
		var expires, spent int64
		var sealed []byte
		err := tx.QueryRowContext(ctx, `SELECT expires, spent, sealed FROM handoff WHERE id = ?`, id).Scan(&expires, &spent, &sealed)
		now := time.Now().UnixMilli()
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrUnknown
		case err != nil:
			return fmt.Errorf("find the handoff: %w", err)
		case spent != 0:
			return ErrSpent
		case expires <= now:
			return ErrExpired
		}
		if c, err = decrypt(id, key, expires, sealed); err != nil {
			return err
		}
		if err := accept(c); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE handoff SET spent = ?, sealed = NULL WHERE id = ?`, now, id)
		return err
	})
	if err != nil {
		return identity.Context{}, err
	}
	return c, nil
}

func parseToken(token string) (id string, key []byte, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(token), prefix)
	id, text, found := strings.Cut(rest, ".")
	if !ok || !found || id == "" {
		return "", nil, ErrMalformed
	}
	if key, err = base64.RawURLEncoding.Strict().DecodeString(text); err != nil || len(key) != keySize {
		return "", nil, ErrTampered
	}
	return id, key, nil
}

func decrypt(id string, key []byte, expires int64, sealed []byte) (c identity.Context, err error) {
	aead, err := newCipher(key)
	if err != nil {
		return c, err
	}
	size := aead.NonceSize()
	if len(sealed) < size {
		return c, ErrTampered
	}
	plain, err := aead.Open(nil, sealed[:size], sealed[size:], additionalData(id, expires))
	if err != nil {
		return c, ErrTampered
	}
	if err := json.Unmarshal(plain, &c); err != nil {
		return c, ErrTampered
	}
	return c, nil
}

// additionalData binds a ciphertext to its row and expiry: with another id or expiry it does not
// decrypt.
func additionalData(id string, expires int64) []byte {
	return []byte("callsheet handoff 1\n" + id + "\n" + strconv.FormatInt(expires, 10))
}

func newCipher(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make the cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("make the cipher: %w", err)
	}
	return aead, nil
}
