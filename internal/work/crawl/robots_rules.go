package crawl

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longestDelay is the longest Crawl-delay that is obeyed. Longer ones are mistakes, or meant to
// keep everybody out.
const longestDelay = 2 * time.Minute

// rules are the groups of a host's robots.txt that apply to this crawler.
type rules struct {
	all      []rule
	delay    time.Duration
	sitemaps []string
}

// rule allows or forbids the addresses that match.
type rule struct {
	pattern string // as normal gives it; * is anything, and $ at its end the end of the address
	allow   bool
}

// parseRules reads a robots.txt as RFC 9309 has it: what names this crawler counts, else what names
// everybody; lines that cannot be read are as if they were not there.
func parseRules(text string) *rules {
	var ownGroup, wildcardGroup, out rules
	named, naming := false, false // this crawler, in any group; and whether the line before named somebody too
	var group []*rules            // what the lines of the current group are for
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		key, value := field(line)
		switch key {
		case "user-agent", "useragent":
			if !naming {
				group, naming = nil, true
			}
			switch {
			case value == "*":
				group = append(group, &wildcardGroup)
			case strings.EqualFold(product(value), robotsAgent):
				group, named = append(group, &ownGroup), true
			}
			continue
		case "allow", "disallow":
			for _, g := range group {
				g.add(value, key == "allow")
			}
		case "crawl-delay", "crawldelay":
			for _, g := range group {
				g.wait(value)
			}
		case "sitemap":
			out.sitemaps = append(out.sitemaps, value)
			continue
		default:
			continue
		}
		naming = false
	}
	chosen := wildcardGroup
	if named {
		chosen = ownGroup
	}
	out.all, out.delay = chosen.all, chosen.delay
	return &out
}

// field splits a line into its name, in lower case, and its value. Some authors forget the colon.
func field(line string) (key, value string) {
	line, _, _ = strings.Cut(line, "#")
	line = strings.TrimSpace(line)
	at := strings.IndexByte(line, ':')
	if at < 0 {
		at = strings.IndexAny(line, " \t")
	}
	if at < 0 {
		return "", ""
	}
	return strings.ToLower(strings.TrimSpace(line[:at])), strings.TrimSpace(line[at+1:])
}

// product is the name at the beginning of a user agent: of Name/1.2 it is Name.
func product(value string) string {
	end := strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '-'
	})
	if end < 0 {
		return value
	}
	return value[:end]
}

func (r *rules) add(pattern string, allow bool) {
	switch {
	case pattern == "":
		return // nothing is allowed or forbidden
	case pattern[0] != '/' && pattern[0] != '*':
		pattern = "/" + pattern
	}
	r.all = append(r.all, rule{normal(pattern), allow})
}

func (r *rules) wait(seconds string) {
	n, err := strconv.ParseFloat(seconds, 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return
	}
	r.delay = time.Duration(min(n, longestDelay.Seconds()) * float64(time.Second))
}

// allow reports whether a canonical address may be asked for: the rule with the longest pattern
// that matches decides, and of two the one that allows.
func (r *rules) allow(address string) bool {
	_, path, _ := strings.Cut(address, "://")
	path = normal(path[max(0, strings.IndexByte(path, '/')):])
	best := rule{allow: true}
	for _, one := range r.all {
		longer := len(one.pattern) > len(best.pattern) || len(one.pattern) == len(best.pattern) && one.allow
		if longer && one.matches(path) {
			best = one
		}
	}
	return best.allow
}

// matches reports whether a path with its query begins as the pattern says.
func (r rule) matches(path string) bool {
	text, whole := strings.CutSuffix(r.pattern, "$")
	parts := strings.Split(text, "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	if !ok {
		return false
	}
	for i, part := range parts[1:] {
		if whole && i == len(parts)-2 {
			return strings.HasSuffix(rest, part)
		}
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return !whole || rest == ""
}

// normal writes escapes in one way, so that patterns and paths compare byte by byte.
func normal(path string) string {
	if !slices.ContainsFunc([]byte(path), func(c byte) bool { return c == '%' || c >= 0x80 }) {
		return path
	}
	return upperEscapes(escapeWide(path))
}

// escapeWide escapes what is not ASCII.
func escapeWide(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(c), 16)))
		}
	}
	return b.String()
}
