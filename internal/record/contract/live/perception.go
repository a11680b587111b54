package live

import (
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/callsheet/callsheet/internal/record/contract"
)

const (
	hashSide  = 64 // pixels of the picture that is transformed
	lowSide   = 8  // of its lowest frequencies, in each direction
	hashWords = lowSide * lowSide
)

// perceptionHash returns the perceptual hash of a picture: a bit for each of its 64 lowest frequencies that is
// above their median. It is the hash that corona10/goimagehash computes, so stored ones stay comparable.
func perceptionHash(picture image.Image) contract.Fingerprint {
	pixels := scaleGray(picture)
	low := lowFrequencies(pixels)
	sorted := slices.Sorted(slices.Values(low[:]))
	var hash uint64
	for i, v := range low {
		if v > (sorted[hashWords/2-1]+sorted[hashWords/2])/2 {
			hash |= 1 << (hashWords - 1 - i)
		}
	}
	return contract.Fingerprint(hash)
}

// scaleGray returns the brightness of a picture, scaled to hashSide by linear interpolation over all pixels
// that a target pixel covers.
func scaleGray(picture image.Image) [hashSide][hashSide]float64 {
	b := picture.Bounds()
	columns, rows := weights(b.Dx()), weights(b.Dy())
	var out [hashSide][hashSide]float64
	line := make([]float64, b.Dx())
	for y := range b.Dy() {
		for x := range line {
			c := color.NRGBA64Model.Convert(picture.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA64)
			line[x] = 0.299*float64(c.R/257) + 0.587*float64(c.G/257) + 0.114*float64(c.B/257)
		}
		var scaled [hashSide]float64
		for i, w := range columns {
			for k, v := range w.values {
				scaled[i] += v * line[w.first+k]
			}
		}
		for i, w := range rows {
			if y < w.first || y >= w.first+len(w.values) {
				continue
			}
			for x := range scaled {
				out[i][x] += w.values[y-w.first] * scaled[x]
			}
		}
	}
	return out
}

// window is the part of a line of pixels that one target pixel covers. The values add up to 1.
type window struct {
	first  int
	values []float64
}

// weights returns the windows of the target pixels in a line of size pixels.
func weights(size int) [hashSide]window {
	var out [hashSide]window
	scale := float64(size) / hashSide
	reach := max(scale, 1)
	for i := range out {
		center := (float64(i)+0.5)*scale - 0.5
		first, last := max(0, int(math.Ceil(center-reach))), min(size-1, int(math.Floor(center+reach)))
		w, sum := window{first: first}, 0.0
		for x := first; x <= last; x++ {
			v := max(0, 1-math.Abs(float64(x)-center)/reach)
			w.values, sum = append(w.values, v), sum+v
		}
		for k := range w.values {
			w.values[k] /= sum
		}
		out[i] = w
	}
	return out
}

// lowFrequencies returns the lowest coefficients of the discrete cosine transform (type II), row by row.
func lowFrequencies(pixels [hashSide][hashSide]float64) (out [hashWords]float64) {
	var cosines [lowSide][hashSide]float64
	for k := range cosines {
		for n := range cosines[k] {
			cosines[k][n] = math.Cos(math.Pi * (float64(n) + 0.5) * float64(k) / hashSide)
		}
	}
	for v := range lowSide {
		for y := range hashSide {
			for u := range lowSide {
				sum := 0.0
				for x := range hashSide {
					sum += pixels[y][x] * cosines[u][x]
				}
				out[v*lowSide+u] += sum * cosines[v][y]
			}
		}
	}
	return out
}
