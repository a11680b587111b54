package capture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // one of the formats of Screenshot
	"image/png"
	"strconv"

	"github.com/orisano/pixelmatch"
	_ "golang.org/x/image/webp" // one of the formats of Screenshot

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// maxCompared is the number of pixels of the largest pictures that are compared.
const maxCompared = 40_000_000

// Difference says in what two pictures differ. Pixels that only smooth an edge do not count; those that one of
// the pictures lacks do.
type Difference struct {
	Pixels, Total int
	Box           image.Rectangle // of the pixels that differ
	Before, After image.Point     // sizes
	picture       *image.RGBA
}

// differs is the colour of pixels that differ.
var differs = color.RGBA{R: 255, A: 255}

// Share returns the share of differing pixels, from 0 to 1.
func (d Difference) Share() float64 { return float64(d.Pixels) / float64(max(d.Total, 1)) }

// String says the share, the number and the box: "1.2% of the pixels differ (11059), in x 10 y 20 width 300 height 40".
func (d Difference) String() string {
	if d.Pixels == 0 {
		return "no pixel differs"
	}
	text := fmt.Sprintf("%s of the pixels differ (%d), in x %d y %d width %d height %d", percent(d.Share()), d.Pixels,
		d.Box.Min.X, d.Box.Min.Y, d.Box.Dx(), d.Box.Dy())
	if d.Before != d.After {
		text += fmt.Sprintf("; the picture was %d×%d and is %d×%d", d.Before.X, d.Before.Y, d.After.X, d.After.Y)
	}
	return text
}

// percent shows a share with two digits that count: 1.2%.
func percent(share float64) string {
	if share >= 0.1 {
		return strconv.FormatFloat(100*share, 'f', 0, 64) + "%"
	}
	return strconv.FormatFloat(100*share, 'g', 2, 64) + "%"
}

// Picture returns a PNG of the later picture in pale gray with the pixels that differ in red.
func (d Difference) Picture() ([]byte, error) {
	var out bytes.Buffer
	if err := png.Encode(&out, d.picture); err != nil {
		return nil, fmt.Errorf("write the picture of a difference: %w", err)
	}
	return out.Bytes(), nil
}

// Compare compares two pictures of Screenshot.
func Compare(before, after []byte) (Difference, error) {
	old, err := decode(before)
	if err != nil {
		return Difference{}, err
	}
	now, err := decode(after)
	if err != nil {
		return Difference{}, err
	}
	d := Difference{Before: old.Rect.Max, After: now.Rect.Max}
	whole, common := old.Rect.Union(now.Rect), old.Rect.Intersect(now.Rect)
	d.Total = whole.Dx() * whole.Dy()
	d.picture = image.NewRGBA(whole)
	draw.Draw(d.picture, whole, image.NewUniform(differs), image.Point{}, draw.Src)
	shown := image.Image(image.White) // where the common part is the same, which the library draws nothing of
	if _, err := pixelmatch.MatchPixel(now.SubImage(common), old.SubImage(common), pixelmatch.DiffColor(differs), pixelmatch.WriteTo(&shown)); err != nil {
		return Difference{}, fmt.Errorf("compare pictures: %w", err)
	}
	draw.Draw(d.picture, common, shown, common.Min, draw.Src)
	for y := range whole.Max.Y {
		for x := range whole.Max.X {
			if d.picture.RGBAAt(x, y) == differs {
				d.Pixels++
				d.Box = d.Box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return d, nil
}

// decode reads a picture whose top left is at 0, 0.
func decode(data []byte) (*image.NRGBA, error) {
	head, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err == nil && head.Width*head.Height > maxCompared {
		return nil, fault.New(codes.Failed, fmt.Sprintf("a picture of %d×%d is too large to compare; clip shows a part", head.Width, head.Height))
	}
	var read image.Image
	if err == nil {
		read, _, err = image.Decode(bytes.NewReader(data))
	}
	if err != nil {
		return nil, fmt.Errorf("read the picture: %w", err)
	}
	out := image.NewNRGBA(image.Rectangle{Max: read.Bounds().Size()})
	draw.Draw(out, out.Rect, read, read.Bounds().Min, draw.Src)
	return out, nil
}
