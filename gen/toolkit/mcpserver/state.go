package mcpserver

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// stateTime is how long a client may take to answer a question that is a result.
const stateTime = time.Hour

// stateSealer encrypts the answers that a request carries from one repetition to the next, so that the
// client can neither read nor change what it holds.
type stateSealer struct {
	aead cipher.AEAD
	now  func() time.Time
}

// sealedState is the content of a state.
type sealedState struct {
	Expires int64           `json:"expires"` // seconds of Unix time
	Answers toolkit.Answers `json:"answers"`
}

// newStateSealer derives the key from secret; an empty one is replaced by a random one.
func newStateSealer(secret []byte) *stateSealer {
	if len(secret) == 0 {
		secret = []byte(rand.Text())
	}
	key := sha256.Sum256(append([]byte("request state\x00"), secret...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) //nolint:forbidigo // the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) //nolint:forbidigo // AES has the block size of GCM
	}
	return &stateSealer{aead: aead, now: time.Now}
}

// seal returns a state for the request that about names.
func (s *stateSealer) seal(about string, answers toolkit.Answers) (string, error) {
	text, err := json.Marshal(sealedState{Expires: s.now().Add(stateTime).Unix(), Answers: answers})
	if err != nil {
		return "", fmt.Errorf("encode earlier answers: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, text, []byte(about))), nil //nolint:gosec // the cipher makes its nonce
}

// open returns the answers in a state that seal made for the same request.
func (s *stateSealer) open(about, state string) (toolkit.Answers, error) {
	const refused = "requestState is not one that this server made for this request; leave it out to begin again"
	sealed, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		return nil, toolkit.InvalidParams(refused)
	}
	text, err := s.aead.Open(nil, nil, sealed, []byte(about))
	if err != nil {
		return nil, toolkit.InvalidParams(refused)
	}
	var out sealedState
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, toolkit.InvalidParams(refused)
	}
	if s.now().Unix() > out.Expires {
		return nil, toolkit.InvalidParams(fmt.Sprintf("requestState has expired: answers may take %v; leave it out to begin again", stateTime))
	}
	return out.Answers, nil
}
