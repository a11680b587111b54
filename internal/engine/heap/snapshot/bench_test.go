package snapshot_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
)

// writeLarge writes a snapshot of rows, as a page with a large table keeps them: for each row an
// object, its array with elements, a small object and a text. It returns the size of the file.
func writeLarge(b *testing.B, path string, rows int) int64 {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	w := bufio.NewWriterSize(f, 1<<20)
	const each, edgesEach = 5, 8
	nodes, edges := 4+each*rows, 3+rows+edgesEach*rows
	fmt.Fprintf(w, `{"snapshot":{%s,"node_count":%d,"edge_count":%d},`, description, nodes, edges)
	fmt.Fprintf(w, "\n\"nodes\":[9,0,1,0,1,0\n,3,1,3,16,1,0\n,3,2,5,16,1,0\n,1,3,7,%d,%d,0", 4*rows, rows)
	for i := range rows {
		id := 9 + 10*i
		fmt.Fprintf(w, "\n,3,4,%d,28,4,0\n,3,2,%d,16,2,0\n,1,3,%d,72,0,0\n,3,5,%d,20,2,0\n,2,%d,%d,40,0,0", id, id+2, id+4, id+6, 8+i, id+8)
	}
	fmt.Fprintf(w, "],\n\"edges\":[1,1,6\n,2,6,12\n,3,7,18")
	for i := range rows {
		fmt.Fprintf(w, "\n,3,%d,%d", i%1000, 6*(4+each*i))
	}
	for i := range rows {
		at := 6 * (4 + each*i)
		fmt.Fprintf(w, "\n,2,6,%d\n,2,7,%d\n,2,5,%d\n,3,3,6\n,3,7,%d\n,3,3,12\n,2,6,%d\n,3,3,6", at+6, at+18, at+24, at+12, at+24)
	}
	fmt.Fprintf(w, "],\n\"locations\":[],\n\"strings\":[\"\",\"Window [JSGlobalObject] / x\",\"Array\",\"table\",\"Row\",\"Note\",\"rows\",\"elements\"")
	for i := range rows {
		fmt.Fprintf(w, ",\n\"text of row %d\"", i)
	}
	fmt.Fprint(w, "]}")
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// BenchmarkCompareLarge compares two snapshots of 200 MB each, and reports the most memory that the
// process had: MB-peak is of the whole run, so run it alone and once.
func BenchmarkCompareLarge(b *testing.B) {
	const rows = 870_000
	dir := b.TempDir()
	before, now := filepath.Join(dir, "before"), filepath.Join(dir, "now")
	b.SetBytes(writeLarge(b, before, rows) + writeLarge(b, now, rows+1000))
	for b.Loop() {
		var c *snapshot.Census
		with(b, before, func(a *snapshot.Analysis) (err error) {
			c, err = a.Census(b.Context())
			return err
		})
		with(b, now, func(a *snapshot.Analysis) error {
			out, err := a.Compare(b.Context(), []*snapshot.Census{c}, snapshot.Options{Min: 5, Limit: 10})
			if err == nil && (len(out.Findings) != 1 || out.Findings[0].Class != "Row" || out.Findings[0].Now != rows+1000) {
				b.Errorf("%+v", out.Findings)
			}
			return err
		})
	}
	if peak := peakMemory(); peak > 0 {
		b.ReportMetric(peak, "MB-peak")
	}
}

func with(b *testing.B, path string, fn func(*snapshot.Analysis) error) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	if err := snapshot.With(b.Context(), f, info.Size(), "", fn); err != nil {
		b.Fatal(err)
	}
}

// peakMemory is the largest resident set of the process so far, in MB; 0 where the system does not
// say.
func peakMemory() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kB, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return kB / 1000
}
