package tools_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// How many calls a randomCaller makes on a page, and on one that each call waits for.
const pageCalls, slowPageCalls = 12, 4

// slowPages are those where a call takes seconds: they are replaced all the time, or busy.
var slowPages = []string{"busy", "reload", "replace"}

// randomCaller is a client that calls tools at random. What it calls them with comes from its last
// answers, as an agent's does, so that most calls can succeed.
type randomCaller struct {
	client    tooltest.Client
	base      string
	deadlines map[string]time.Duration
	random    *rand.Rand

	lost           bool       // the tab has no page that can be used
	dialog         bool       // the last answer names an open dialog
	buttons, texts []listItem // of the latest reading

	made, onPage int
	codes, tools map[string]int
	samples      map[string]string // a refusal of each code
	failures     []string
	longest      time.Duration
	longestCall  string
}

// listItem is an element of a reading.
type listItem struct{ name, ref string }

func (c *randomCaller) run(ctx context.Context, calls int) {
	for c.made < calls && ctx.Err() == nil && len(c.failures) < 5 {
		switch {
		case c.dialog:
			c.call(ctx, "dialog", tooltest.Args{"accept": c.random.IntN(2) == 0})
		case c.lost || c.onPage <= 0:
			c.closePopups(ctx)
			page := hostileNames[c.random.IntN(len(hostileNames))]
			c.onPage = pageCalls
			if slices.Contains(slowPages, page) {
				c.onPage = slowPageCalls
			}
			c.call(ctx, "navigate", tooltest.Args{"url": c.base + "/" + page})
		default:
			c.step(ctx)
		}
		c.onPage--
	}
}

// closePopups closes every tab but the current one, as more and more of them would slow the browser.
func (c *randomCaller) closePopups(ctx context.Context) {
	text := c.call(ctx, "tabs_context", tooltest.Args{})
	var current string
	for i, found := range tabInText.FindAllStringSubmatch(text, -1) {
		if i == 0 {
			current = found[1]
		} else if found[1] != current {
			c.call(ctx, "tabs_close", tooltest.Args{"tabId": found[1]})
		}
	}
}

var tabInText = regexp.MustCompile(`"(?:current|tabId)":"(t\d+)"`)

// step makes a call that the last answers suggest, or now and then one that they do not.
func (c *randomCaller) step(ctx context.Context) {
	n := c.random.IntN(28)
	switch {
	case n < 8 && len(c.buttons) > 0:
		c.interact(ctx, c.buttons[c.random.IntN(len(c.buttons))])
	case n < 12 && len(c.texts) > 0:
		c.call(ctx, "form_input", tooltest.Args{"ref": c.texts[c.random.IntN(len(c.texts))].ref, "value": "Ada"})
	case n < 14 && len(c.texts) > 0:
		c.call(ctx, "fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": c.texts[0].name, "value": "Ada"}}})
	case n == 14:
		c.call(ctx, "interact", tooltest.Args{"ref": "e1", "waitForMs": 0}) // of any reading, or of none
	case n == 15:
		c.call(ctx, "find", tooltest.Args{"query": "Name"})
	case n == 16:
		c.call(ctx, "page_reload", tooltest.Args{})
		if !c.dialog {
			c.call(ctx, "read_page", tooltest.Args{})
		}
	case n == 17:
		c.call(ctx, "page_screenshot", tooltest.Args{})
	case n == 18:
		c.call(ctx, "javascript_tool", tooltest.Args{"code": "document.title"})
	case n == 19:
		c.call(ctx, "tabs_context", tooltest.Args{})
	case n < 23:
		c.call(ctx, "read_page", tooltest.Args{"mode": "full", "diff": true})
	default:
		c.call(ctx, "read_page", tooltest.Args{})
	}
}

// interact clicks an element of the last reading by its name or its ref, and reads in the same call
// now and then.
func (c *randomCaller) interact(ctx context.Context, on listItem) {
	a := tooltest.Args{"query": on.name}
	if on.name == "" || c.random.IntN(2) == 0 {
		a = tooltest.Args{"ref": on.ref}
	}
	switch c.random.IntN(4) {
	case 0:
		a["then"] = "read"
	case 1:
		a["waitForMs"] = 100
	}
	c.call(ctx, "interact", a)
}

var itemInText = regexp.MustCompile(`- (button|link|clickable|textbox)(?: "([^"]*)")? \[(e\d+)\]`)

// learn takes from an answer what the next call can be made with.
func (c *randomCaller) learn(tool, code, text string) {
	c.dialog = code == string(codes.DialogOpen) || tool != "dialog" && strings.Contains(text, "answer it with dialog")
	switch toolkit.Code(code) {
	case codes.NoTab, toolkit.ToolNotVisible, codes.TabCrashed, codes.BrowserGone:
		c.lost = true
		return
	case "":
	default:
		c.buttons, c.texts = nil, nil // of what was read, something does not hold
		return
	}
	switch tool {
	case "navigate", "page_reload":
		c.lost, c.buttons, c.texts = false, nil, nil
	case "read_page", "interact":
		items := itemInText.FindAllStringSubmatch(text, 20)
		if tool == "read_page" || len(items) > 0 {
			c.buttons, c.texts = nil, nil
		}
		for _, item := range items {
			if item[1] == "textbox" {
				c.texts = append(c.texts, listItem{item[2], item[3]})
			} else {
				c.buttons = append(c.buttons, listItem{item[2], item[3]})
			}
		}
	}
}
