package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/network"
)

// Checks of the content security policy.
func policyChecks() []check {
	return []check{
		{"csp", Security, Serious, "The page has a Content-Security-Policy",
			"send Content-Security-Policy: script-src 'nonce-…' 'strict-dynamic'; object-src 'none'; base-uri 'none'", needFacts | needResponse,
			func(e *evidence) outcome {
				report := ""
				if e.header("content-security-policy-report-only") != "" {
					report = "it only reports"
				}
				return require(len(e.policies()) > 0, strings.TrimSpace("no policy "+report))
			}},
		{"csp-weak", Security, Moderate, "The Content-Security-Policy stops injected scripts",
			"use nonces or hashes in place of 'unsafe-inline', 'unsafe-eval' and whole schemes", needFacts | needResponse, weakPolicy},
		{"csp-violations", Security, Moderate, "The page keeps to its Content-Security-Policy",
			"allow what the page needs in the policy, or remove it from the page", needIssues, policyViolations},
	}
}

// directives reads a policy: the sources of each directive, the first of a name.
func directives(policy string) map[string][]string {
	out := map[string][]string{}
	for part := range strings.SplitSeq(policy, ";") {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		if name := strings.ToLower(words[0]); out[name] == nil {
			out[name] = append([]string{}, words[1:]...)
		}
	}
	return out
}

// weakPolicy judges the policies together: each source must be allowed by all of them, so one strict
// policy is enough.
func weakPolicy(e *evidence) outcome {
	var best []string
	for i, policy := range e.policies() {
		found := weaknesses(directives(policy))
		if len(found) == 0 {
			return pass()
		}
		if i == 0 || len(found) < len(best) {
			best = found
		}
	}
	if best == nil {
		return skip()
	}
	return failed(best...)
}

func weaknesses(policy map[string][]string) (found []string) {
	scripts, ok := policy["script-src"]
	if !ok {
		scripts, ok = policy["default-src"]
	}
	if !ok {
		return []string{"neither script-src nor default-src"}
	}
	strict := slices.ContainsFunc(scripts, func(s string) bool {
		return strings.HasPrefix(s, "'nonce-") || strings.HasPrefix(s, "'sha256-") || strings.HasPrefix(s, "'sha384-") || strings.HasPrefix(s, "'sha512-")
	})
	dynamic := slices.Contains(scripts, "'strict-dynamic'")
	for _, s := range scripts {
		switch s = strings.ToLower(s); {
		case s == "'unsafe-inline'" && !strict && !dynamic, s == "'unsafe-eval'", (s == "*" || s == "http:" || s == "https:" || s == "data:") && !dynamic:
			found = append(found, "script-src "+s)
		}
	}
	if _, ok := policy["object-src"]; !ok {
		if _, ok := policy["default-src"]; !ok {
			found = append(found, "no object-src")
		}
	}
	return found
}

func policyViolations(e *evidence) outcome {
	list := causes{}
	for _, i := range e.issues {
		d := i.Details.ContentSecurityPolicyIssueDetails
		if d == nil || d.IsReportOnly {
			continue
		}
		at := ""
		if l := d.SourceCodeLocation; l != nil && l.URL != "" {
			at = fmt.Sprintf(" (%s:%d)", network.RedactURL(l.URL), l.LineNumber+1)
		}
		list.Total++
		list.Items = append(list.Items, cause{-1, strings.TrimSpace(d.ViolatedDirective+" "+network.RedactURL(d.BlockedURL)) + at})
	}
	return none(list)
}
