package main

import "regexp"

// adapter names the tools of one server that a session needs.
type adapter struct {
	name     string
	navigate string // takes url
	read     string
	click    string
	clickArg string         // the argument of click that takes a ref
	more     map[string]any // other arguments of click
	ref      *regexp.Regexp // finds the button's ref in a reading
}

func callsheet() adapter {
	return adapter{
		name: "callsheet", navigate: "navigate", read: "read_page", click: "interact", clickArg: "ref",
		ref: regexp.MustCompile(`button "Press".*?\[(e\d+)\]`),
	}
}

func playwright() adapter {
	return adapter{
		name: "playwright-mcp", navigate: "browser_navigate", read: "browser_snapshot", click: "browser_click",
		clickArg: "target", more: map[string]any{"element": "Press button"},
		ref: regexp.MustCompile(`button "Press".*?\[ref=([^\]]+)\]`),
	}
}
