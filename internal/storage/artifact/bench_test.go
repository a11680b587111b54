package artifact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func BenchmarkStore(b *testing.B) {
	for _, kept := range []int{10, 1000} {
		dir, err := statedir.New(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		s := artifact.New(dir, 0)
		put := func() {
			if _, err := s.Put(b.Context(), artifact.Meta{Name: "a.png", MIME: "image/png", Session: "s"}, strings.NewReader("data")); err != nil {
				b.Fatal(err)
			}
		}
		for range kept {
			put()
		}
		b.Run(fmt.Sprintf("list %d", kept), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.List("s"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("put beside %d", kept), func(b *testing.B) {
			b.ReportAllocs()
			for range min(b.N, 100) {
				put()
			}
		})
	}
}
