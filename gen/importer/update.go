package importer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/textdiff"
	"github.com/callsheet/callsheet/gen/upstream"
)

// Update imports a list again into a manifest that people may have edited. Files are those of the
// manifest; was is its record. What only the server has changed is taken over, what only people have
// changed stays, and where both changed the same lines those of people stay and the report asks. The
// report holds the decisions that are new.
func Update(files []spec.File, was, now upstream.List, opt Options) Result {
	now.Effects = was.Effects
	base := Import(was, Options{Upstream: opt.Upstream})
	theirs := Import(now, opt)
	m := &merge{result: Result{Files: slices.Clone(files)}}
	m.newDecisions(base, theirs)
	for _, f := range theirs.Files {
		switch {
		case f.Name == rootFile:
			m.root(base, f)
		case strings.HasSuffix(f.Name, ".yaml"):
			if m.find(f.Name) == nil {
				m.result.Files = append(m.result.Files, spec.File{Name: f.Name, Data: []byte("tools:\n")})
			}
		default:
			m.put(f)
		}
	}
	m.entries(entriesOf(base.Files), entriesOf(theirs.Files))
	return m.result
}

type merge struct{ result Result }

func (m *merge) find(name string) *spec.File {
	for i := range m.result.Files {
		if m.result.Files[i].Name == name {
			return &m.result.Files[i]
		}
	}
	return nil
}

func (m *merge) put(f spec.File) {
	if at := m.find(f.Name); at != nil {
		at.Data = f.Data
		return
	}
	m.result.Files = append(m.result.Files, f)
}

// newDecisions keeps what the report did not say the last time.
func (m *merge) newDecisions(base, theirs Result) {
	said := map[Decision]bool{}
	for _, d := range base.Decisions {
		said[d] = true
	}
	for _, d := range theirs.Decisions {
		if !said[d] {
			m.result.Decisions = append(m.result.Decisions, d)
		}
	}
}

func (m *merge) root(base Result, theirs spec.File) {
	old := ""
	for _, f := range base.Files {
		if f.Name == rootFile {
			old = string(f.Data)
		}
	}
	at := m.find(rootFile)
	if at == nil {
		m.put(theirs)
		return
	}
	text, conflicts := merge3(old, string(at.Data), string(theirs.Data))
	at.Data = []byte(text)
	m.conflicts("", rootFile, conflicts)
}

// conflicts reports lines that both have changed.
func (m *merge) conflicts(tool, path string, diffs []string) {
	for _, d := range diffs {
		m.result.Decisions = append(m.result.Decisions, Decision{
			Tool: tool, Path: path, Kind: Asked, What: "your lines were kept, and the server has changed the same ones:\n" + d,
			Why: "both have changed since the last import", Do: "take over what you want of it by hand",
		})
	}
}

// entry is an entry of a tool with the file that it stands in.
type entry struct{ file, text string }

// forwardOf matches the key that identifies an entry: people rename tools.
var forwardOf = regexp.MustCompile(`(?m)^    forward: (.*)$`)

// entriesOf splits files of areas into the entries of forwarded tools, by the upstream's name as it is
// written.
func entriesOf(files []spec.File) map[string]entry {
	out := map[string]entry{}
	for _, f := range files {
		for _, block := range blocks(f) {
			if found := forwardOf.FindStringSubmatch(block); found != nil {
				out[found[1]] = entry{f.Name, block}
			}
		}
	}
	return out
}

// blocks splits the file of an area at the beginnings of entries; the first block is the text before them.
// Other files have none.
func blocks(f spec.File) []string {
	if f.Name == rootFile || !strings.HasSuffix(f.Name, ".yaml") {
		return nil
	}
	var out []string
	var block strings.Builder
	for line := range strings.Lines(string(f.Data)) {
		if strings.HasPrefix(line, "  - ") {
			out = append(out, block.String())
			block.Reset()
		}
		block.WriteString(line)
	}
	return append(out, block.String())
}

// entries merges each entry and appends those that are new.
func (m *merge) entries(base, theirs map[string]entry) {
	seen := map[string]bool{}
	for i := range m.result.Files {
		f := &m.result.Files[i]
		all := blocks(*f)
		if all == nil {
			continue
		}
		for j, block := range all {
			if found := forwardOf.FindStringSubmatch(block); found != nil {
				seen[found[1]] = true
				all[j] = m.entry(found[1], block, base, theirs)
			}
		}
		f.Data = []byte(strings.Join(all, ""))
	}
	for _, key := range slices.Sorted(maps.Keys(theirs)) {
		_, old := base[key]
		if seen[key] || old { // an old one that is not there was deleted by someone
			continue
		}
		f := m.find(theirs[key].file)
		text := strings.TrimRight(string(f.Data), "\n") + "\n"
		if text != "tools:\n" {
			text += "\n"
		}
		f.Data = []byte(text + strings.TrimRight(theirs[key].text, "\n") + "\n")
	}
}

// entry merges one entry. The blank lines at its end are the file's.
func (m *merge) entry(key, ours string, base, theirs map[string]entry) string {
	body := strings.TrimRight(ours, "\n")
	end := ours[len(body):]
	old, now := strings.TrimRight(base[key].text, "\n"), strings.TrimRight(theirs[key].text, "\n")
	tool := strings.Trim(key, `"`)
	switch {
	case now == "" && body == old:
		m.result.Decisions = append(m.result.Decisions, Decision{Tool: tool, Path: "", Kind: Dropped, What: "the entry was deleted",
			Why: "the server has the tool no more", Do: "tell those who use it"})
		return ""
	case now == "":
		m.result.Decisions = append(m.result.Decisions, Decision{Tool: tool, Path: "", Kind: Asked, What: "the entry was kept",
			Why: "the server has the tool no more, and someone has edited the entry", Do: "delete it, or defer the tool"})
		return ours
	}
	text, conflicts := merge3(old+"\n", body+"\n", now+"\n")
	m.conflicts(tool, base[key].file, conflicts)
	return strings.TrimRight(text, "\n") + end
}

// merge3 takes over into ours what has changed from base to theirs. Where both changed lines that touch,
// ours stay, and the diff that was not taken over is returned.
func merge3(base, ours, theirs string) (string, []string) {
	if ours == base || ours == theirs {
		return theirs, nil
	}
	if theirs == base {
		return ours, nil
	}
	b, o, t := lines(base), lines(ours), lines(theirs)
	mo, mt := matches(b, o), matches(b, t)
	var out strings.Builder
	var conflicts []string
	i, j, k := 0, 0, 0
	for i < len(b) || j < len(o) || k < len(t) {
		if i < len(b) && mo[i] == j && mt[i] == k {
			out.WriteString(b[i])
			i, j, k = i+1, j+1, k+1
			continue
		}
		ni := i // the next line that all three have
		for ni < len(b) && (mo[ni] < j || mt[ni] < k) {
			ni++
		}
		nj, nk := len(o), len(t)
		if ni < len(b) {
			nj, nk = mo[ni], mt[ni]
		}
		was, mine, new := strings.Join(b[i:ni], ""), strings.Join(o[j:nj], ""), strings.Join(t[k:nk], "")
		if mine == was {
			out.WriteString(new)
		} else {
			out.WriteString(mine)
			if new != was && new != mine {
				conflicts = append(conflicts, textdiff.Unified(was, new))
			}
		}
		i, j, k = ni, nj, nk
	}
	return out.String(), conflicts
}

func lines(s string) []string { return slices.Collect(strings.Lines(s)) }

// matches returns, for each line of a, the line of b that it is paired with, or -1.
func matches(a, b []string) []int {
	out := slices.Repeat([]int{-1}, len(a))
	for _, m := range difflib.NewMatcherWithJunk(a, b, false, nil).GetMatchingBlocks() {
		for i := range m.Size {
			out[m.A+i] = m.B + i
		}
	}
	return out
}

// Summary says what has become of the tools of a server, for people.
func Summary(was, now upstream.List) string {
	changes := upstream.Compare(was, now)
	if len(changes) == 0 {
		return "the server offers what was recorded\n"
	}
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintln(&b, c)
	}
	return b.String()
}
