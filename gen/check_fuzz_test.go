package gen_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/spec"
)

// oddValues take the place of values: other types, none, other forms of a number, invisible and foreign letters, YAML's own words.
var oddValues = []string{
	"", "null", "~", "2.0", "-1", "1e400", "0x10", "true", "[]", "{}", "[[]]", "{a: {b: [c]}}", `""`, `"\u202e"`, "\ufeff", "\U000E0041", "pаge", "&a x", "*a", "!!binary aGk=",
	"|", ">-", "- -", "? x", "a: b: c", "%TAG", "tabCount", "tab_count", "9999999999999999999999", "2031-13-45", "'", "\"", "\t", "#", "always && always", "(", "\x00",
}

// mutate edits a file by lines: one is dropped, doubled, swapped, indented or cut, or its key or value is another.
func mutate(r *rand.Rand, text string) string {
	lines := strings.Split(text, "\n")
	i, j := r.IntN(len(lines)), r.IntN(len(lines))
	key, value, keyed := strings.Cut(lines[i], ": ")
	odd := oddValues[r.IntN(len(oddValues))]
	switch r.IntN(9) {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, i, lines[i])
	case 2:
		lines[i], lines[j] = lines[j], lines[i]
	case 3:
		lines[i] = strings.Repeat(" ", r.IntN(5)) + lines[i]
	case 4:
		lines[i] = lines[i][:r.IntN(len(lines[i])+1)]
	case 5:
		if keyed {
			lines[i] = key + ": " + odd
		}
	case 6:
		if name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(key), "- ")); keyed && name != "" {
			lines[i] = strings.Replace(lines[i], name, []string{odd, strings.ToUpper(name), name + "s", strings.ReplaceAll(name, "_", "")}[r.IntN(4)], 1)
		}
	case 7:
		if first, rest, ok := strings.Cut(value, ": "); keyed && ok { // in a mapping on one line
			_, tail, _ := strings.Cut(rest, ",")
			lines[i] = key + ": " + first + ": " + odd + "," + tail
		}
	case 8:
		if k := strings.Index(lines[i], "{"); k >= 0 {
			lines[i] = lines[i][:k+1] + odd + ": " + odd + ", " + lines[i][k+1:]
		}
	}
	return strings.Join(lines, "\n")
}

// FuzzCheck checks manifests with a few mistakes: it must not panic, and each diagnostic has a place.
func FuzzCheck(f *testing.F) {
	src, err := gen.Load("../examples/tracker")
	if err != nil {
		f.Fatal(err)
	}
	if _, diags := gen.Check(src); diags.HasErrors() {
		f.Fatal(diags)
	}
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r, broken := rand.New(rand.NewPCG(seed, 0)), src
		broken.Files = slices.Clone(src.Files)
		edited := []*spec.File{}
		for i := range broken.Files {
			edited = append(edited, &broken.Files[i])
		}
		for _, beside := range []**spec.File{&broken.Lock, &broken.Allowances, &broken.Competitors, &broken.Settings} {
			if *beside != nil {
				file := **beside
				*beside = &file
				edited = append(edited, &file)
			}
		}
		for range 1 + r.IntN(3) {
			file := edited[r.IntN(len(edited))]
			file.Data = []byte(mutate(r, string(file.Data)))
		}
		_, diags := gen.Check(broken)
		for _, d := range diags {
			if d.Pos.File == "" || d.Pos.Line < 1 || d.Message == "" {
				t.Errorf("%+v has no place: %s", d.Pos, strconv.Quote(d.Message))
			}
		}
	})
}
