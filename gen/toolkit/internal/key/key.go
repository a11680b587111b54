// Package key has the argument that makes a grant of powers valid. Only packages below gen/toolkit can
// import it, so that handlers cannot make grants. It must not know powers or calls.
package key

// Key is the right to make grants. The zero Key makes none.
type Key struct{ valid bool }

// New returns a valid key.
func New() Key { return Key{valid: true} }

// Valid reports whether New made the key.
func (k Key) Valid() bool { return k.valid }
