// Package mark draws labelled boxes into a screenshot of a page. Drawing into the picture leaves
// the page unchanged: its scripts see no overlay, and none can remain.
//
// It must not know browsers or pages.
package mark

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// Box is an area in pixels of the picture and its label: letters e and digits.
type Box struct {
	Label               string
	X, Y, Width, Height int
}

// Options selects the additional parts of the drawing.
type Options struct {
	// Boxes draws outlines, not only labels.
	Boxes bool
	// Grid is the distance of grid lines in pixels; 0 is none.
	Grid int
}

// maxPixels bounds the size of a decoded picture: a viewport's is far smaller.
const maxPixels = 64 << 20

// Draw marks the boxes in a PNG and returns another PNG.
func Draw(picture []byte, boxes []Box, o Options) ([]byte, error) {
	head, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil || head.Width*head.Height > maxPixels {
		return nil, fmt.Errorf("mark a picture of %d×%d pixels: %w", head.Width, head.Height, err)
	}
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("mark a picture: %w", err)
	}
	canvas := image.NewNRGBA(decoded.Bounds())
	draw.Draw(canvas, canvas.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	if o.Grid > 0 {
		grid(canvas, o.Grid)
	}
	for i, b := range boxes {
		c := boxColor(i)
		if o.Boxes {
			outline(canvas, b, c)
		}
		label(canvas, b, c)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, canvas); err != nil {
		return nil, fmt.Errorf("mark a picture: %w", err)
	}
	return out.Bytes(), nil
}

// boxColor gives neighbours different colours, all dark enough for white letters.
func boxColor(i int) color.NRGBA {
	colors := [...]color.NRGBA{
		{0xc0, 0x1c, 0x28, 0xff}, {0x1a, 0x5f, 0xb4, 0xff}, {0x26, 0x6b, 0x3c, 0xff},
		{0x81, 0x3d, 0x9c, 0xff}, {0x9a, 0x55, 0x00, 0xff}, {0x0b, 0x6a, 0x78, 0xff},
	}
	return colors[i%len(colors)]
}

func rect(x, y, width, height int) image.Rectangle { return image.Rect(x, y, x+width, y+height) }

func fill(canvas *image.NRGBA, area image.Rectangle, c color.Color) {
	draw.Draw(canvas, area, image.NewUniform(c), image.Point{}, draw.Over)
}

func outline(canvas *image.NRGBA, b Box, c color.Color) {
	fill(canvas, rect(b.X, b.Y, b.Width, 2), c)
	fill(canvas, rect(b.X, b.Y+b.Height-2, b.Width, 2), c)
	fill(canvas, rect(b.X, b.Y, 2, b.Height), c)
	fill(canvas, rect(b.X+b.Width-2, b.Y, 2, b.Height), c)
}

func grid(canvas *image.NRGBA, step int) {
	faint := color.NRGBA{0x00, 0x00, 0x00, 0x50}
	size := canvas.Bounds().Size()
	for x := step; x < size.X; x += step {
		fill(canvas, rect(x, 0, 1, size.Y), faint)
	}
	for y := step; y < size.Y; y += step {
		fill(canvas, rect(0, y, size.X, 1), faint)
	}
}

// scale is the width of a glyph's dot in pixels.
const scale = 2

// label writes above the box, or inside it where there is no room above.
func label(canvas *image.NRGBA, b Box, c color.Color) {
	width, height := len(b.Label)*4*scale+scale, 7*scale
	x, y := max(0, min(b.X, canvas.Bounds().Dx()-width)), b.Y-height
	if y < 0 {
		y = max(0, b.Y)
	}
	fill(canvas, rect(x, y, width, height), c)
	for i, r := range b.Label {
		for row, bits := range glyph(r) {
			for dot := range 3 {
				if bits&(4>>dot) != 0 {
					fill(canvas, rect(x+scale+i*4*scale+dot*scale, y+scale+row*scale, scale, scale), color.White)
				}
			}
		}
	}
}

// glyph returns a character of three by five dots, one number per row; unknown characters are
// blank.
func glyph(r rune) [5]byte {
	switch r {
	case 'e':
		return [5]byte{0, 7, 7, 4, 7}
	case '0':
		return [5]byte{7, 5, 5, 5, 7}
	case '1':
		return [5]byte{2, 6, 2, 2, 7}
	case '2':
		return [5]byte{7, 1, 7, 4, 7}
	case '3':
		return [5]byte{7, 1, 3, 1, 7}
	case '4':
		return [5]byte{5, 5, 7, 1, 1}
	case '5':
		return [5]byte{7, 4, 7, 1, 7}
	case '6':
		return [5]byte{7, 4, 7, 5, 7}
	case '7':
		return [5]byte{7, 1, 1, 2, 2}
	case '8':
		return [5]byte{7, 5, 7, 5, 7}
	case '9':
		return [5]byte{7, 5, 7, 1, 7}
	}
	return [5]byte{}
}
