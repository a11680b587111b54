package audit

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/network"
)

func practiceChecks() []check {
	return []check{
		{"doctype", BestPractices, Serious, "The document has the HTML doctype, which avoids quirks mode",
			"begin the document with <!doctype html>", needFacts,
			func(e *evidence) outcome {
				d := e.facts.Doctype
				switch {
				case e.facts.ContentType == "application/xhtml+xml":
					return skip()
				case d == nil:
					return failed("no doctype")
				}
				return require(e.facts.CompatMode == "CSS1Compat", "the document is in quirks mode")
			}},
		{"charset", BestPractices, Moderate, "The document declares the encoding UTF-8",
			`put <meta charset="utf-8"> first in <head>, or charset=utf-8 into the Content-Type header`, needFacts, charset},
		{"viewport", BestPractices, Serious, "The document has a viewport for mobile devices",
			`add <meta name="viewport" content="width=device-width, initial-scale=1">`, needFacts, viewport},
		{"image-aspect-ratio", BestPractices, Moderate, "Images are shown in their proportions",
			"set width and height in the proportion of the image, or object-fit", needFacts,
			func(e *evidence) outcome { return noneOf(e.facts.Images, e.facts.DistortedImages) }},
		{"image-broken", BestPractices, Serious, "Images can be loaded",
			"mend the address of the image, or remove it", needFacts,
			func(e *evidence) outcome { return noneOf(e.facts.Images, e.facts.BrokenImages) }},
		{"tap-targets", BestPractices, Minor, "Targets have 24×24 CSS pixels or room around them",
			"enlarge the target, or put space between it and the next one", needFacts,
			func(e *evidence) outcome { return noneOf(e.facts.Targets, e.facts.SmallTargets) }},
		{"font-size", BestPractices, Minor, "Most text has 12 CSS pixels or more",
			"use larger text", needFacts,
			func(e *evidence) outcome {
				f := e.facts
				switch {
				case f.TextLength == 0:
					return skip()
				case 10*f.SmallTextLength <= 4*f.TextLength:
					return pass()
				}
				return failing(f.SmallTexts)
			}},
		{"console-errors", BestPractices, Moderate, "The console has no errors",
			"read the console, and mend the cause", needConsole, consoleErrors},
		{"deprecated-apis", BestPractices, Moderate, "The page uses no deprecated interfaces",
			"use what replaces the interface", needIssues, deprecations},
		{"browser-issues", BestPractices, Moderate, "The browser blocks or corrects nothing of the page",
			"mend what the browser reports", needIssues, browserIssues},
	}
}

func charset(e *evidence) outcome {
	declared := e.facts.CharsetDeclared || strings.Contains(strings.ToLower(e.header("content-type")), "charset=")
	switch {
	case e.facts.ContentType == "application/xhtml+xml":
		return skip()
	case !declared && !e.responseKnown && !e.hasNoResponse():
		return unclear(noResponse)
	case !declared:
		return failed("not declared")
	}
	return require(e.facts.Charset == "UTF-8", e.facts.Charset)
}

func viewport(e *evidence) outcome {
	for _, v := range e.facts.Viewports {
		if v = strings.ReplaceAll(strings.ToLower(v), " ", ""); strings.Contains(v, "width=") || strings.Contains(v, "initial-scale=") {
			return pass()
		}
	}
	if len(e.facts.Viewports) > 0 {
		return failed("neither width nor initial-scale: " + e.facts.Viewports[0])
	}
	return failed("no viewport")
}

func consoleErrors(e *evidence) outcome {
	list := causes{}
	for _, m := range e.errors {
		list.Total += m.Count
		at := ""
		if m.Location.URL != "" {
			at = fmt.Sprintf(" (%s)", strings.TrimSuffix(fmt.Sprintf("%s:%d", network.RedactURL(m.Location.URL), m.Location.Line), ":0"))
		}
		list.Items = append(list.Items, cause{-1, m.Text + at})
	}
	return none(list)
}

func deprecations(e *evidence) outcome {
	list := causes{}
	for _, i := range e.issues {
		if d := i.Details.DeprecationIssueDetails; d != nil {
			list.Total++
			at := ""
			if l := d.SourceCodeLocation; l != nil && l.URL != "" {
				at = fmt.Sprintf(" (%s:%d)", network.RedactURL(l.URL), l.LineNumber+1)
			}
			list.Items = append(list.Items, cause{-1, d.Type + at})
		}
	}
	return none(list)
}

// browserIssues names the issues that no other check has: requests that were blocked, and style
// sheets that could not be read.
func browserIssues(e *evidence) outcome {
	list := causes{}
	for _, i := range e.issues {
		detail := ""
		switch d := i.Details; {
		case d.CorsIssueDetails != nil && d.CorsIssueDetails.Request != nil:
			detail = network.RedactURL(d.CorsIssueDetails.Request.URL)
		case d.BlockedByResponseIssueDetails != nil:
			detail = d.BlockedByResponseIssueDetails.Reason.String()
		case d.StylesheetLoadingIssueDetails != nil:
			detail = d.StylesheetLoadingIssueDetails.StyleSheetLoadingIssueReason.String()
		case d.HeavyAdIssueDetails != nil:
			detail = d.HeavyAdIssueDetails.Reason.String()
		default:
			continue
		}
		list.Total++
		list.Items = append(list.Items, cause{-1, strings.TrimSpace(strings.TrimSuffix(string(i.Code), "Issue") + " " + detail)})
	}
	return none(list)
}
