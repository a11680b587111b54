package audit

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

func seoChecks() []check {
	return []check{
		{"http-status", SEO, Serious, "The page answers with a successful status",
			"answer 200; search engines drop pages with 4xx and 5xx", needFacts | needResponse,
			func(e *evidence) outcome {
				return require(e.response.Status < 400, fmt.Sprintf("status %d", e.response.Status))
			}},
		{"is-crawlable", SEO, Serious, "Search engines may index the page",
			"remove noindex from the robots meta element and the X-Robots-Tag header, unless it is meant", needFacts | needResponse, isCrawlable},
		{"title", SEO, Serious, "The document has a title",
			"add a <title> of up to some 60 characters that says what is on this page", needFacts,
			func(e *evidence) outcome { return require(e.facts.Title != "", "no title") }},
		{"meta-description", SEO, Moderate, "The document has a meta description",
			`add <meta name="description" content="…">`, needFacts,
			func(e *evidence) outcome {
				return require(slices.ContainsFunc(e.facts.Descriptions, func(d string) bool { return d != "" }), "none, or an empty one")
			}},
		{"canonical", SEO, Moderate, "rel=canonical is one absolute address",
			"write one absolute address of the page itself", needFacts, canonical},
		{"hreflang", SEO, Minor, "hreflang names languages, and absolute addresses",
			"use codes such as en, en-GB or x-default, and absolute addresses", needFacts, hreflang},
		{"link-text", SEO, Minor, "Links have text that says where they lead",
			"name the target in the text of the link", needFacts,
			func(e *evidence) outcome { return noneOf(e.facts.Links, e.facts.GenericLinks) }},
		{"crawlable-anchors", SEO, Moderate, "Links have an address that can be followed",
			"give the link an href with an address, or make it a button", needFacts,
			func(e *evidence) outcome { return noneOf(e.facts.Links, e.facts.UncrawlableLinks) }},
		{"structured-data", SEO, Minor, "Structured data (JSON-LD) can be read",
			"write valid JSON with @context and @type", needFacts,
			func(e *evidence) outcome { return noneOf(e.facts.StructuredData, e.facts.InvalidData) }},
	}
}

func isCrawlable(e *evidence) outcome {
	var found []string
	for where, values := range map[string][]string{"meta robots": e.facts.Robots, "X-Robots-Tag": strings.Split(e.header("x-robots-tag"), "\n")} {
		for _, value := range values {
			for word := range strings.FieldsFuncSeq(strings.ToLower(value), func(r rune) bool { return strings.ContainsRune(", :;\t", r) }) {
				if word == "noindex" || word == "none" {
					found = append(found, where+": "+value)
				}
			}
		}
	}
	slices.Sort(found)
	return require(len(found) == 0, found...)
}

func isAbsolute(address string) bool {
	u, err := url.Parse(strings.TrimSpace(address))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func canonical(e *evidence) outcome {
	if len(e.facts.Canonicals) == 0 {
		return skip()
	}
	var found []string
	distinct := slices.Compact(slices.Sorted(slices.Values(e.facts.Canonicals)))
	if len(distinct) > 1 {
		found = append(found, fmt.Sprintf("%d different addresses", len(distinct)))
	}
	for _, address := range distinct {
		if !isAbsolute(address) {
			found = append(found, "not absolute: "+address)
			continue
		}
		u, _ := url.Parse(strings.TrimSpace(address))
		here := e.address()
		if u.Host == here.Host && strings.Trim(u.Path, "/") == "" && strings.Trim(here.Path, "/") != "" {
			found = append(found, "leads to the root of the site: "+address)
		}
	}
	return require(len(found) == 0, found...)
}

func hreflang(e *evidence) outcome {
	if len(e.facts.Alternates) == 0 {
		return skip()
	}
	language := regexp.MustCompile(`(?i)^(x-default|[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?)$`)
	var found []string
	for _, a := range e.facts.Alternates {
		switch {
		case !language.MatchString(strings.TrimSpace(a.Lang)):
			found = append(found, fmt.Sprintf("%q is no language", a.Lang))
		case !isAbsolute(a.Href):
			found = append(found, "not absolute: "+a.Href)
		}
	}
	return require(len(found) == 0, found...)
}
