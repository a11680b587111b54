package audit

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/profiler"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
	"github.com/callsheet/callsheet/internal/engine/console"
)

// page returns the evidence of a page without a defect at an address.
func pageAt(address string) *evidence {
	return &evidence{
		facts: &facts{
			URL: address, ContentType: "text/html", CompatMode: "CSS1Compat", Charset: "UTF-8", CharsetDeclared: true, SecureContext: true,
			Doctype:  &struct{ Name, PublicID, SystemID string }{Name: "html"},
			HasTitle: true, Title: "Goods", Descriptions: []string{"All goods"}, Viewports: []string{"width=device-width"},
			Canonicals: []string{"https://shop.example/goods"}, Alternates: []struct{ Lang, Href string }{{"en-GB", "https://shop.example/goods"}},
			Links: 3, Images: 2, Targets: 4, Passwords: 1, StructuredData: 1, TextLength: 100,
		},
		responseKnown: true,
		response: browser.DocumentResponse{Status: 200, Headers: map[string]string{
			"content-security-policy":   "script-src 'nonce-x' 'strict-dynamic'; object-src 'none'; frame-ancestors 'self'",
			"strict-transport-security": "max-age=31536000; includeSubDomains", "x-content-type-options": "nosniff", "referrer-policy": "same-origin",
		}},
		cookies: []webstorage.Cookie{{Name: "session", Secure: true, HTTPOnly: true, SameSite: "Lax"}, {Name: "theme", Secure: true}},
		files:   []FileUse{{URL: "/a.js", Kind: "js", Bytes: 90000, Unused: 1000}, {URL: "/a.css", Kind: "css", Bytes: 90000, Unused: 1000}},
	}
}

func someCause() causes { return causes{Total: 1, Items: []cause{{-1, "x"}}} }

func issue(details *audits.InspectorIssueDetails) []*audits.InspectorIssue {
	return []*audits.InspectorIssue{{Code: "TestIssue", Details: details}}
}

// defects change the evidence of the page without a defect so that one check fails, several ways each.
func defects() map[string][]func(*evidence) {
	header := func(name, value string) func(*evidence) {
		return func(e *evidence) { e.response.Headers[name] = value }
	}
	fact := func(change func(*facts)) func(*evidence) { return func(e *evidence) { change(e.facts) } }
	cookie := func(c webstorage.Cookie) func(*evidence) {
		return func(e *evidence) { e.cookies = append(e.cookies, c) }
	}
	issues := func(d *audits.InspectorIssueDetails) func(*evidence) {
		return func(e *evidence) { e.issues = issue(d) }
	}
	return map[string][]func(*evidence){
		"http-status":        {func(e *evidence) { e.response.Status = 404 }},
		"is-crawlable":       {header("x-robots-tag", "googlebot: noindex"), fact(func(f *facts) { f.Robots = []string{"NOINDEX, follow"} })},
		"title":              {fact(func(f *facts) { f.Title = "" })},
		"meta-description":   {fact(func(f *facts) { f.Descriptions = nil }), fact(func(f *facts) { f.Descriptions = []string{""} })},
		"canonical":          {fact(func(f *facts) { f.Canonicals = []string{"/goods"} }), fact(func(f *facts) { f.Canonicals = []string{"https://a.example/", "https://b.example/"} }), fact(func(f *facts) { f.Canonicals = []string{"https://shop.example/"} })},
		"hreflang":           {fact(func(f *facts) { f.Alternates[0].Lang = "english" }), fact(func(f *facts) { f.Alternates[0].Href = "/en" })},
		"link-text":          {fact(func(f *facts) { f.GenericLinks = someCause() })},
		"crawlable-anchors":  {fact(func(f *facts) { f.UncrawlableLinks = someCause() })},
		"structured-data":    {fact(func(f *facts) { f.InvalidData = someCause() })},
		"doctype":            {fact(func(f *facts) { f.Doctype = nil }), fact(func(f *facts) { f.CompatMode = "BackCompat" })},
		"charset":            {fact(func(f *facts) { f.CharsetDeclared = false }), fact(func(f *facts) { f.Charset = "windows-1252" })},
		"viewport":           {fact(func(f *facts) { f.Viewports = nil }), fact(func(f *facts) { f.Viewports = []string{"user-scalable=no"} })},
		"image-aspect-ratio": {fact(func(f *facts) { f.DistortedImages = someCause() })},
		"image-broken":       {fact(func(f *facts) { f.BrokenImages = someCause() })},
		"tap-targets":        {fact(func(f *facts) { f.SmallTargets = someCause() })},
		"font-size":          {fact(func(f *facts) { f.SmallTextLength, f.SmallTexts = 41, someCause() })},
		"console-errors":     {func(e *evidence) { e.errors = []console.Message{{Level: console.Error, Text: "x", Count: 2}} }},
		"deprecated-apis":    {issues(&audits.InspectorIssueDetails{DeprecationIssueDetails: &audits.DeprecationIssueDetails{Type: "UnloadHandler"}})},
		"browser-issues":     {issues(&audits.InspectorIssueDetails{BlockedByResponseIssueDetails: &audits.BlockedByResponseIssueDetails{Reason: "CorpNotSameOrigin"}})},
		"https":              {fact(func(f *facts) { f.URL = "http://shop.example/goods" })},
		"hsts":               {header("strict-transport-security", ""), header("strict-transport-security", "max-age=300")},
		"nosniff":            {header("x-content-type-options", "")},
		"frame-options":      {header("content-security-policy", "default-src 'self'"), header("content-security-policy", "frame-ancestors *")},
		"referrer-policy":    {header("referrer-policy", "unsafe-url"), header("referrer-policy", "same-origin, no-referrer-when-downgrade"), fact(func(f *facts) { f.ReferrerPolicies = []string{"unsafe-url"} })},
		CookieFlags:          {cookie(webstorage.Cookie{Name: "theme2"}), cookie(webstorage.Cookie{Name: "auth", Secure: true, SameSite: "Lax"}), cookie(webstorage.Cookie{Name: "sid", Secure: true, HTTPOnly: true})},
		"mixed-content": {fact(func(f *facts) { f.InsecureLoads = someCause() }),
			issues(&audits.InspectorIssueDetails{MixedContentIssueDetails: &audits.MixedContentIssueDetails{InsecureURL: "http://cdn.example/x.js"}})},
		"insecure-form":       {fact(func(f *facts) { f.InsecureForms = someCause() })},
		"password-over-http":  {fact(func(f *facts) { f.SecureContext = false })},
		"third-party-cookies": {issues(&audits.InspectorIssueDetails{CookieIssueDetails: &audits.CookieIssueDetails{RawCookieLine: "a=b"}})},
		"csp":                 {header("content-security-policy", "")},
		"csp-weak": {header("content-security-policy", "script-src 'unsafe-inline'; object-src 'none'"), header("content-security-policy", "default-src 'self' 'unsafe-eval'"),
			header("content-security-policy", "default-src https:"), header("content-security-policy", "script-src 'self'"), header("content-security-policy", "img-src 'self'")},
		"csp-violations":    {issues(&audits.InspectorIssueDetails{ContentSecurityPolicyIssueDetails: &audits.ContentSecurityPolicyIssueDetails{ViolatedDirective: "img-src"}})},
		"unused-javascript": {func(e *evidence) { e.files[0].Unused = 30000 }},
		"unused-css":        {func(e *evidence) { e.files[1].Unused = 30000 }},
	}
}

// TestEveryCheckFailsAndHolds gives every check a page on which it holds and pages on which it fails.
func TestEveryCheckFailsAndHolds(t *testing.T) {
	t.Parallel()
	planted := defects()
	for _, c := range checks() {
		if got := c.run(pageAt("https://shop.example/goods")); got.state != holds {
			t.Errorf("%s on a page without a defect: %+v", c.id, got)
		}
		if len(planted[c.id]) == 0 {
			t.Errorf("no page makes %s fail", c.id)
		}
		for i, plant := range planted[c.id] {
			e := pageAt("https://shop.example/goods")
			plant(e)
			if got := c.run(e); got.state != fails || got.causes.Total == 0 {
				t.Errorf("%s with defect %d: %+v", c.id, i, got)
			}
		}
	}
}

// TestMissingEvidenceIsUnknown checks that no check passes without the evidence that it needs.
func TestMissingEvidenceIsUnknown(t *testing.T) {
	t.Parallel()
	missing := map[need]func(*evidence){
		needFacts:    func(e *evidence) { e.facts, e.factsReason = nil, "x" },
		needResponse: func(e *evidence) { e.responseKnown = false },
		needIssues:   func(e *evidence) { e.issuesReason = "x" },
		needConsole:  func(e *evidence) { e.errorsDropped = true },
		needCookies:  func(e *evidence) { e.cookiesReason = "x" },
		needFiles:    func(e *evidence) { e.filesReason = "x" },
	}
	for _, c := range checks() {
		for need, remove := range missing {
			e := pageAt("https://shop.example/goods")
			remove(e)
			if got := c.run(e); c.needs&need != 0 && (got.state != unknown || got.reason == "") {
				t.Errorf("%s without evidence %d: %+v", c.id, need, got)
			}
		}
	}
}

// TestLocalPagesNeedNoServer checks the checks that concern no file, data URL or page of this machine.
func TestLocalPagesNeedNoServer(t *testing.T) {
	t.Parallel()
	for _, c := range checks() {
		e := pageAt("file:///home/ann/page.html")
		e.responseKnown, e.response = false, browser.DocumentResponse{}
		if got := c.run(e); got.state == unknown || got.state == fails {
			t.Errorf("%s on a file: %+v", c.id, got)
		}
		e = pageAt("http://127.0.0.1:8080/goods")
		if got := c.run(e); slices.Contains([]string{"https", "hsts", "mixed-content"}, c.id) && got.state == fails {
			t.Errorf("%s on a loopback address: %+v", c.id, got)
		}
	}
}

func TestScriptUse(t *testing.T) {
	t.Parallel()
	span := func(from, to, count int64) *profiler.CoverageRange {
		return &profiler.CoverageRange{StartOffset: from, EndOffset: to, Count: count}
	}
	functions := []*profiler.FunctionCoverage{
		{Ranges: []*profiler.CoverageRange{span(0, 100, 1)}},                  // the script
		{Ranges: []*profiler.CoverageRange{span(10, 40, 0)}},                  // a function that never ran
		{Ranges: []*profiler.CoverageRange{span(50, 90, 2), span(60, 70, 0)}}, // a function with a branch that never ran
		{Ranges: []*profiler.CoverageRange{span(62, 65, 0)}},
	}
	if size, used := scriptUse(functions); size != 100 || used != 60 {
		t.Errorf("%d of %d used, want 60 of 100", used, size)
	}
	if size, used := scriptUse(nil); size != 0 || used != 0 {
		t.Errorf("%d of %d used of no script", used, size)
	}
}
