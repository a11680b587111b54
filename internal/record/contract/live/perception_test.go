package live

import (
	"image"
	"image/color"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// drawn draws a picture of boxes, as pages are.
func drawn(seed uint64, w, h int) image.Image {
	r := rand.New(rand.NewPCG(seed, 1))
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for range 12 {
		x, y, c := r.IntN(w), r.IntN(h), color.NRGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), 255}
		for i := x; i < min(w, x+w/3); i++ {
			for j := y; j < min(h, y+h/4); j++ {
				out.SetNRGBA(i, j, c)
			}
		}
	}
	return out
}

// TestStoredFingerprintsStayComparable compares with hashes that corona10/goimagehash computed, as they are in
// the state directories of users.
func TestStoredFingerprintsStayComparable(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		seed          uint64
		width, height int
		stored        uint64
	}{
		{0, 1280, 720, 0x93930516ce7b393c}, {0, 64, 64, 0x92f5959e116e9368},
		{0, 40, 30, 0xd3910716ce7b3934}, {1, 1280, 720, 0xaf69a4cb34555a34},
		{1, 64, 64, 0x8ac8d5dd72256c2b}, {1, 40, 30, 0xad69a4cb3465da32},
		{2, 1280, 720, 0x8ce44db21b5b368d}, {2, 64, 64, 0xc13e1dca609d3e96},
		{2, 40, 30, 0x8ce84d95135b72ad}, {3, 1280, 720, 0x8e1fc959629635e1},
		{3, 64, 64, 0xd25e34d23ce1652d}, {3, 40, 30, 0x861fc8596a92b6e5},
		{4, 1280, 720, 0x84406b3f1f9db4e8}, {4, 64, 64, 0x887e916a36d51cc7},
		{4, 40, 30, 0x8440693e3f9f96ac},
	} {
		if d := bits.OnesCount64(tc.stored ^ uint64(perceptionHash(drawn(tc.seed, tc.width, tc.height)))); d > 2 {
			t.Errorf("picture %d of %d×%d differs from the stored hash in %d bits", tc.seed, tc.width, tc.height, d)
		}
	}
}
