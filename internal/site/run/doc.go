// Package run runs one tool of a site in a session: it observes the facts of the site on the page,
// refuses a tool whose condition does not hold and offers the way to it, plays the tool's steps,
// judges its postcondition and extracts its output.
//
// It refuses a step that the page no longer supports as it was recorded, before it acts, and says
// what was expected, what the page has and which change of the tool's file would mend it. It must not
// know files of sites, nor how tools are compiled or listed.
package run
