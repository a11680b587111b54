package mark_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/mark"
)

func TestDraw(t *testing.T) {
	var blank bytes.Buffer
	canvas := image.NewGray(image.Rect(0, 0, 200, 100))
	if err := png.Encode(&blank, canvas); err != nil {
		t.Fatal(err)
	}
	got, err := mark.Draw(blank.Bytes(), []mark.Box{
		{Label: "e12", X: 50, Y: 40, Width: 60, Height: 30}, {Label: "e3", X: -20, Y: -5, Width: 900, Height: 20},
	}, mark.Options{Boxes: true, Grid: 100})
	if err != nil {
		t.Fatal(err)
	}
	out, err := png.Decode(bytes.NewReader(got))
	if err != nil || out.Bounds() != canvas.Bounds() {
		t.Fatalf("%v %v", out.Bounds(), err)
	}
	red := color.NRGBA{0xc0, 0x1c, 0x28, 0xff}
	for _, p := range []image.Point{{50, 60}, {109, 69}, {51, 27}} {
		if c := out.At(p.X, p.Y); c != color.Color(red) && color.NRGBAModel.Convert(c) != color.Color(red) {
			t.Errorf("at %v there is %v, want %v", p, c, red)
		}
	}
	if r, _, _, _ := out.At(150, 80).RGBA(); r != 0 {
		t.Error("the picture changed outside of the boxes")
	}
	if _, err := mark.Draw([]byte("no picture"), nil, mark.Options{}); err == nil {
		t.Error("what is no picture was marked")
	}
}
