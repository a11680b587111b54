package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/network"
)

// CookieFlags is the check that needs the power to read cookies.
const CookieFlags = "cookie-flags"

// leastMaxAge is how long HSTS should hold: half a year, in seconds.
const leastMaxAge = 180 * 24 * 60 * 60

func securityChecks() []check {
	return []check{
		{"https", Security, Critical, "The page is served over https",
			"serve the page over https, and redirect http to it", needFacts,
			func(e *evidence) outcome {
				if e.hasNoResponse() {
					return skip()
				}
				return require(e.address().Scheme == "https" || e.isLocal(), "the address is http")
			}},
		{"hsts", Security, Moderate, "Strict-Transport-Security holds for half a year or more",
			"send Strict-Transport-Security: max-age=31536000; includeSubDomains", needFacts | needResponse, hsts},
		{"nosniff", Security, Moderate, "Browsers do not guess the type of the document",
			"send X-Content-Type-Options: nosniff", needFacts | needResponse,
			func(e *evidence) outcome {
				got := e.header("x-content-type-options")
				return require(strings.EqualFold(strings.TrimSpace(got), "nosniff"), shown("X-Content-Type-Options", got))
			}},
		{"frame-options", Security, Moderate, "Other sites cannot frame the page",
			"send Content-Security-Policy: frame-ancestors 'self', or X-Frame-Options: SAMEORIGIN", needFacts | needResponse, frameOptions},
		{"referrer-policy", Security, Minor, "Whole addresses are not sent to other sites",
			"send Referrer-Policy: strict-origin-when-cross-origin, or a stricter one", needFacts | needResponse, referrerPolicy},
		{CookieFlags, Security, Serious, "Cookies have Secure, HttpOnly and SameSite where they need them",
			"set Secure and SameSite, and HttpOnly for cookies that scripts need not read", needFacts | needCookies, cookieFlags},
		{"mixed-content", Security, Serious, "An https page loads nothing over http",
			"load everything over https", needFacts | needIssues, mixedContent},
		{"insecure-form", Security, Serious, "Forms are sent over https",
			"give the form an https address", needFacts,
			func(e *evidence) outcome { return none(e.facts.InsecureForms) }},
		{"password-over-http", Security, Critical, "Passwords are not asked for over http",
			"serve the page over https", needFacts,
			func(e *evidence) outcome {
				if e.facts.Passwords == 0 {
					return skip()
				}
				return require(e.facts.SecureContext, fmt.Sprintf("%d password fields", e.facts.Passwords))
			}},
		{"third-party-cookies", Security, Moderate, "No cookie is blocked or warned of",
			"set SameSite and Secure as the browser asks, and do without cookies of other sites", needIssues, cookieIssues},
	}
}

// shown names a header and its value, or says that it is missing.
func shown(header, value string) string {
	if value == "" {
		return "no " + header
	}
	return header + ": " + value
}

func hsts(e *evidence) outcome {
	if e.address().Scheme != "https" {
		return skip()
	}
	got := e.header("strict-transport-security")
	found := regexp.MustCompile(`(?i)max-age\s*=\s*"?(\d+)`).FindStringSubmatch(got)
	if found == nil {
		return failed(shown("Strict-Transport-Security", got))
	}
	age, err := strconv.ParseInt(found[1], 10, 64)
	return require(err != nil || age >= leastMaxAge, shown("Strict-Transport-Security", got))
}

func frameOptions(e *evidence) outcome {
	got := strings.ToUpper(strings.TrimSpace(e.header("x-frame-options")))
	if got == "DENY" || got == "SAMEORIGIN" {
		return pass()
	}
	for line := range strings.FieldsFuncSeq(e.header("content-security-policy"), func(r rune) bool { return r == '\n' || r == ',' }) {
		if sources, ok := directives(line)["frame-ancestors"]; ok {
			return require(!slices.Contains(sources, "*"), "frame-ancestors *")
		}
	}
	return failed(shown("X-Frame-Options", got) + ", no frame-ancestors")
}

func referrerPolicy(e *evidence) outcome {
	values := e.facts.ReferrerPolicies
	if h := e.header("referrer-policy"); h != "" {
		list := strings.Split(h, ",") // the last one that a browser knows counts
		values = append([]string{list[len(list)-1]}, values...)
	}
	var found []string
	for _, v := range values {
		if v = strings.ToLower(strings.TrimSpace(v)); v == "unsafe-url" || v == "no-referrer-when-downgrade" {
			found = append(found, v)
		}
	}
	return require(len(found) == 0, found...) // browsers use strict-origin-when-cross-origin without one
}

var sessionCookie = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)sess|sid$|^sid|auth|token|jwt|login`) })

func cookieFlags(e *evidence) outcome {
	if len(e.cookies) == 0 {
		return skip()
	}
	https := e.address().Scheme == "https"
	var found []string
	for _, c := range e.cookies {
		var lacks []string
		if https && !c.Secure {
			lacks = append(lacks, "Secure")
		}
		if !c.HTTPOnly && sessionCookie().MatchString(c.Name) {
			lacks = append(lacks, "HttpOnly")
		}
		if c.SameSite == "None" && !c.Secure {
			lacks = append(lacks, "Secure, which SameSite=None needs")
		}
		if c.SameSite == "" && sessionCookie().MatchString(c.Name) {
			lacks = append(lacks, "SameSite")
		}
		if len(lacks) > 0 {
			found = append(found, c.Name+" lacks "+strings.Join(lacks, ", "))
		}
	}
	return require(len(found) == 0, found...)
}

func mixedContent(e *evidence) outcome {
	if e.address().Scheme != "https" {
		return skip()
	}
	list := e.facts.InsecureLoads
	for _, i := range e.issues {
		if m := i.Details.MixedContentIssueDetails; m != nil && list.Total < 20 {
			address := network.RedactURL(m.InsecureURL)
			if !slices.ContainsFunc(list.Items, func(c cause) bool { return strings.TrimSpace(c.Detail) == m.InsecureURL }) {
				list.Total++
				list.Items = append(list.Items, cause{-1, address + " " + m.ResolutionStatus.String()})
			}
		}
	}
	return none(list)
}

func cookieIssues(e *evidence) outcome {
	list := causes{}
	for _, i := range e.issues {
		d := i.Details.CookieIssueDetails
		if d == nil {
			continue
		}
		name := "a cookie"
		if d.Cookie != nil {
			name = d.Cookie.Name + " of " + d.Cookie.Domain
		}
		list.Total++
		list.Items = append(list.Items, cause{-1, name + ": " + cookieReasons(d)})
	}
	return none(list)
}

func cookieReasons(d *audits.CookieIssueDetails) string {
	out := slicesx.Map(d.CookieExclusionReasons, func(r audits.CookieExclusionReason) string { return r.String() })
	for _, r := range d.CookieWarningReasons {
		out = append(out, r.String())
	}
	return strings.Join(out, ", ")
}
