package contract

import (
	"fmt"
	"math"
	"strconv"

	"github.com/callsheet/callsheet/internal/text"
)

// noMaximum is the upper bound of what has none.
var noMaximum = math.Inf(1)

// Metrics are the measures of a document: times in milliseconds from the navigation, sizes in
// bytes.
func Metrics() []string {
	return []string{
		"lcp", "cls", "inp", "fcp", "ttfb", "interactive", "dom_content_loaded", "load", "long_tasks", "blocking", "resources",
		"resource_bytes", "document_bytes", "heap_bytes", "nodes",
	}
}

type performanceLeaf struct {
	metric string
	want   bounds
}

func readPerformance(f *memberReader) leaf {
	if !f.open("metric", "eq", "min", "max") {
		return nil
	}
	if !f.has("metric") {
		f.problem(f.path, "metric is missing")
	}
	l := performanceLeaf{f.choice("metric", Metrics()), f.bounds(false)}
	if !l.want.isSet {
		f.problem(f.path, "give max, or min")
	}
	return l
}

func (l performanceLeaf) expected() string { return l.metric + " is " + l.want.String() }

func (l performanceLeaf) judge(s *observation) finding {
	all, err := s.measures.get(func() (map[string]float64, error) { return s.evidence.Measures(s.ctx) })
	if err != nil {
		return inconclusive(err)
	}
	n, ok := all[l.metric]
	if !ok {
		return finding{reason: "the page has no " + l.metric + " yet"}
	}
	return compared(l.want.contains(n), strconv.FormatFloat(math.Round(n*1000)/1000, 'f', -1, 64), "")
}

// looksLeaf compares a picture with a baseline.
type looksLeaf struct {
	baseline, selector string
	max                float64 // share of the pixels that may differ
}

func readLooks(f *memberReader) leaf {
	if !f.open("baseline", "max", "selector") {
		return nil
	}
	l := looksLeaf{baseline: f.text("baseline"), selector: f.text("selector")}
	l.max, _ = f.number("max")
	if l.max > 1 {
		f.problem(f.memberPath("max"), "expected a share from 0 to 1, got %v", l.max)
	}
	if l.baseline == "" {
		f.problem(f.path, "give baseline, the name under which a picture was kept")
	}
	return l
}

func (l looksLeaf) expected() string {
	return fmt.Sprintf("it looks like baseline %q; at most %.3g%% of the pixels differ", l.baseline, 100*l.max)
}

func (l looksLeaf) judge(s *observation) finding {
	d, err := s.evidence.Difference(s.ctx, l.baseline, l.selector)
	if err != nil {
		return inconclusive(err)
	}
	return compared(d.Share <= l.max, d.Text, l.selector)
}

// defaultDistance is the distance by which pictures of one class may be apart unless a contract says: rendering
// differs by a few bits of 64, another page by twenty and more.
const defaultDistance = 8

type screenshotLeaf struct {
	class      string
	references []Fingerprint
	distance   int
	selector   string
}

func readScreenshot(f *memberReader) leaf {
	if !f.open("class", "like", "distance", "selector") {
		return nil
	}
	l := screenshotLeaf{class: f.text("class"), distance: defaultDistance, selector: f.text("selector")}
	if n, set := f.number("distance"); set {
		l.distance = int(n)
		if n > FingerprintBits || n != math.Trunc(n) {
			f.problem(f.memberPath("distance"), "expected a whole number from 0 to %d, got %v", FingerprintBits, n)
		}
	}
	if f.has("like") {
		if mark, err := ParseFingerprint(f.text("like")); err != nil {
			f.problem(f.memberPath("like"), "%v", err)
		} else {
			l.references = append(l.references, mark)
		}
	}
	if f.has("class") == f.has("like") {
		f.problem(f.path, "give class, under which pictures were kept, or like, a fingerprint")
	}
	return l
}

func (l screenshotLeaf) expected() string {
	of := "a picture of class " + strconv.Quote(l.class)
	if l.class == "" {
		of = "the picture " + l.references[0].String()
	}
	return fmt.Sprintf("it looks like %s, at most %d of %d bits apart", of, l.distance, FingerprintBits)
}

func (l screenshotLeaf) judge(s *observation) finding {
	likes := l.references
	if l.class != "" {
		var err error
		if likes, err = s.evidence.Exemplars(s.ctx, l.class); err != nil {
			return inconclusive(err)
		}
		if len(likes) == 0 {
			return finding{reason: fmt.Sprintf("no picture is kept under class %q", text.ClipRunes(l.class, 60))}
		}
	}
	now, err := s.evidence.Fingerprint(s.ctx, l.selector)
	if err != nil {
		return inconclusive(err)
	}
	nearest := FingerprintBits + 1
	for _, like := range likes {
		nearest = min(nearest, now.Distance(like))
	}
	return compared(nearest <= l.distance, fmt.Sprintf("%s, %d bits apart", now, nearest), l.selector)
}
