package contract

import (
	"fmt"
	"math"
	"strconv"
)

// infinite is the upper bound of what has none.
var infinite = math.Inf(1)

// Metrics are the measures of a document: times in milliseconds from the navigation, sizes in bytes.
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

func readPerformance(f *fields) leaf {
	if !f.open("metric", "eq", "min", "max") {
		return nil
	}
	if !f.has("metric") {
		f.problem(f.path, "metric is missing")
	}
	l := performanceLeaf{f.choice("metric", Metrics()), f.bounds(false)}
	if !l.want.set {
		f.problem(f.path, "give max, or min")
	}
	return l
}

func (l performanceLeaf) expected() string { return l.metric + " is " + l.want.String() }

func (l performanceLeaf) judge(s *sight) finding {
	all, err := s.measures.get(func() (map[string]float64, error) { return s.evidence.Measures(s.ctx) })
	if err != nil {
		return missing(err)
	}
	n, ok := all[l.metric]
	if !ok {
		return finding{reason: "the page has no " + l.metric + " yet"}
	}
	return held(l.want.holds(n), strconv.FormatFloat(math.Round(n*1000)/1000, 'f', -1, 64), "")
}

// usualDistance is how far pictures of one class may be apart unless a contract says: rendering differs by a few bits of
// 64, another page by twenty and more.
const usualDistance = 8

type screenshotLeaf struct {
	class    string
	likes    []Fingerprint
	distance int
	selector string
}

func readScreenshot(f *fields) leaf {
	if !f.open("class", "like", "distance", "selector") {
		return nil
	}
	l := screenshotLeaf{class: f.text("class"), distance: usualDistance, selector: f.text("selector")}
	if n, set := f.number("distance"); set {
		l.distance = int(n)
		if n > FingerprintBits || n != math.Trunc(n) {
			f.problem(f.at("distance"), "expected a whole number from 0 to %d, got %v", FingerprintBits, n)
		}
	}
	if f.has("like") {
		if mark, err := ParseFingerprint(f.text("like")); err != nil {
			f.problem(f.at("like"), "%v", err)
		} else {
			l.likes = append(l.likes, mark)
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
		of = "the picture " + l.likes[0].String()
	}
	return fmt.Sprintf("it looks like %s, at most %d of %d bits apart", of, l.distance, FingerprintBits)
}

func (l screenshotLeaf) judge(s *sight) finding {
	likes := l.likes
	if l.class != "" {
		var err error
		if likes, err = s.evidence.Exemplars(s.ctx, l.class); err != nil {
			return missing(err)
		}
		if len(likes) == 0 {
			return finding{reason: fmt.Sprintf("no picture is kept under class %q", clip(l.class, 60))}
		}
	}
	now, err := s.evidence.Fingerprint(s.ctx, l.selector)
	if err != nil {
		return missing(err)
	}
	nearest := FingerprintBits + 1
	for _, like := range likes {
		nearest = min(nearest, now.Distance(like))
	}
	return held(nearest <= l.distance, fmt.Sprintf("%s, %d bits apart", now, nearest), l.selector)
}
