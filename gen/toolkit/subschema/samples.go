package subschema

import (
	"regexp/syntax"
	"strings"
)

// maxSamples bounds the strings that samples returns.
const maxSamples = 24

// samples returns strings that a pattern matches, one for each way through its alternatives and the first
// characters of its classes; none where the pattern has no such syntax.
func samples(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	return generate(re.Simplify())
}

func generate(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		var out []string
		for i := 0; i+1 < len(re.Rune) && len(out) < maxSamples; i += 2 {
			out = append(out, string(re.Rune[i]))
			if re.Rune[i+1] != re.Rune[i] {
				out = append(out, string(re.Rune[i+1]))
			}
		}
		return out
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []string{"a", "0", " ", "/"}
	case syntax.OpCapture:
		return generate(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		return limit(append([]string{""}, repeated(re)...))
	case syntax.OpPlus:
		return limit(repeated(re))
	case syntax.OpConcat:
		out := []string{""}
		for _, sub := range re.Sub {
			out = joined(out, generate(sub))
		}
		return out
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			out = append(out, generate(sub)...)
		}
		return limit(out)
	case syntax.OpNoMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return nil
	}
	return []string{""}
}

// repeated returns one and, where more are taken, several of what is repeated.
func repeated(re *syntax.Regexp) []string {
	one := generate(re.Sub[0])
	if re.Op == syntax.OpQuest {
		return one
	}
	out := one
	for _, s := range one {
		out = append(out, strings.Repeat(s, 2))
	}
	return out
}

// joined returns each left with a right, so that each of both occurs.
func joined(left, right []string) []string {
	if len(left) == 0 || len(right) == 0 {
		return nil
	}
	var out []string
	for i := range min(max(len(left), len(right)), maxSamples) {
		out = append(out, left[i%len(left)]+right[i%len(right)])
	}
	return out
}

func limit(list []string) []string { return list[:min(len(list), maxSamples)] }
