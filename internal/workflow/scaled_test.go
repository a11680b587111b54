package workflow

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// TestPicturesAreScaledDown gives pictures of servers to a result: clients lose a session to one with a side over maxSide.
func TestPicturesAreScaledDown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ width, height, wantWidth, wantHeight int }{
		{10, 2000, 10, 2000}, {4000, 1000, 2000, 500}, {3, 5000, 1, 2000}, {9000, 9000, 0, 0},
	} {
		var data bytes.Buffer
		if err := png.Encode(&data, image.NewPaletted(image.Rect(0, 0, c.width, c.height), []color.Color{color.White})); err != nil {
			t.Fatal(err)
		}
		size, _, err := image.DecodeConfig(bytes.NewReader(scaledDown(data.Bytes())))
		if size.Width != c.wantWidth || size.Height != c.wantHeight || (err != nil) != (c.wantWidth == 0) {
			t.Errorf("%d × %d becomes %d × %d, %v", c.width, c.height, size.Width, size.Height, err)
		}
	}
	if text := []byte("no picture"); string(scaledDown(text)) != string(text) {
		t.Error("what cannot be measured is changed")
	}
}
