package audit

import "fmt"

// The least unused code of a file that is named, in characters. Lighthouse uses the same.
const (
	leastUnusedJS  = 20 << 10
	leastUnusedCSS = 10 << 10
)

func codeChecks() []check {
	return []check{
		{"unused-javascript", UnusedCode, Minor, "Scripts are mostly used while the page loads",
			"split the bundle, and load the rest when it is needed", needFiles,
			func(e *evidence) outcome { return unused(e.files, "js", leastUnusedJS) }},
		{"unused-css", UnusedCode, Minor, "Style sheets are mostly used while the page loads",
			"remove rules that no page uses, and load those of other pages there", needFiles,
			func(e *evidence) outcome { return unused(e.files, "css", leastUnusedCSS) }},
	}
}

func unused(files []FileUse, kind string, least int) outcome {
	list, seen := causes{}, 0
	for _, f := range files {
		if f.Kind != kind {
			continue
		}
		seen++
		if f.Unused >= least {
			list.Total++
			list.Items = append(list.Items, cause{-1, fmt.Sprintf("%s: %d of %d kB unused", f.URL, f.Unused/1000, f.Bytes/1000)})
		}
	}
	return noneOf(seen, list)
}
