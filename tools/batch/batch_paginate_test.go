package batch_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// parsePages reads the answer about a series: what the summary says, and the text of each page.
func parsePages(t *testing.T, res *mcp.CallToolResult) (out struct {
	Captured                 int
	Strategy, Stopped, Whole string
	Pages                    []struct {
		Page, Bytes, Shown int
		URL, Screenshot    string
	}
}, texts []string) {
	t.Helper()
	if res.IsError {
		t.Fatalf("refused: %s", tooltest.Text(res))
	}
	for i, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok && i == 0 {
			if err := json.Unmarshal([]byte(c.Text), &out); err != nil {
				t.Fatalf("%v in %s", err, c.Text)
			}
		} else if ok {
			texts = append(texts, c.Text)
		}
	}
	return out, texts
}

// TestPaginateReadsToTheEnd goes through series that end in every way that there is.
func TestPaginateReadsToTheEnd(t *testing.T) {
	t.Parallel()
	home := serveBatchPages(t)
	for _, c := range []struct {
		name, path string
		a          tooltest.Args
		pages      int
		stopped    string
	}{
		{"click until disabled, each page late", "/clicks", tooltest.Args{"strategy": "click", "nextSelector": "#next", "waitMs": 5000}, 3, "disabled"},
		{"click until gone", "/vanish", tooltest.Args{"strategy": "click", "nextSelector": "#next"}, 2, "nothing matches"},
		{"click until aria-disabled", "/aria", tooltest.Args{"strategy": "click", "nextSelector": "#next"}, 2, "disabled"},
		{"click without effect", "/stuck", tooltest.Args{"strategy": "click", "nextSelector": "#next", "waitMs": 300}, 1, "shows what page 1 did"},
		{"click in a circle", "/round", tooltest.Args{"strategy": "click", "nextSelector": "#next", "waitMs": 300}, 3, "come round"},
		{"keys", "/keys", tooltest.Args{"strategy": "keyboard", "waitMs": 500}, 4, "shows what page 4 did"},
		{"another key", "/keys", tooltest.Args{"strategy": "keyboard", "keyAction": "ArrowLeft", "waitMs": 200}, 1, "shows what page 1 did"},
		{"addresses until 404", "", tooltest.Args{"strategy": "url", "urlTemplate": home + "/list?page={page}"}, 4, "status 404"},
		{"addresses from the third", "", tooltest.Args{"strategy": "url", "urlTemplate": home + "/list?page={N}", "startPage": 3}, 2, "status 404"},
		{"offsets", "", tooltest.Args{"strategy": "url", "urlTemplate": home + "/list?offset={offset}", "pageSize": 25}, 4, "status 404"},
		{"addresses that show the last again", "", tooltest.Args{"strategy": "url", "urlTemplate": home + "/same?page={page}", "waitMs": 200}, 3, "shows what page 3 did"},
		{"as many as asked for", "", tooltest.Args{"strategy": "url", "urlTemplate": home + "/list?page={page}", "totalPages": 2}, 2, "totalPages"},
		{"the DOM", "/keys", tooltest.Args{"strategy": "keyboard", "captureMode": "dom", "waitMs": 300}, 4, "shows what page 4 did"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cl := tooltest.Connect(t, toolkit.Options{})
			if c.path != "" {
				cl.Call("navigate", tooltest.Args{"url": home + c.path})
			}
			got, texts := parsePages(t, cl.Do("batch_paginate", c.a))
			if got.Captured != c.pages || len(texts) != c.pages || !strings.Contains(got.Stopped, c.stopped) {
				t.Fatalf("%+v\n%s", got, texts)
			}
			first := got.Pages[0].Page
			for i, text := range texts {
				item := fmt.Sprintf("item %d", first+i)
				if strings.Contains(c.a["strategy"].(string), "url") && !strings.Contains(fmt.Sprint(c.a["urlTemplate"]), "same") {
					item = fmt.Sprintf("item %d", (first+i)*10)
				}
				if !strings.Contains(text, item) || !strings.Contains(text, "<page ") {
					t.Errorf("page %d says %q, which lacks %q", first+i, text, item)
				}
			}
		})
	}
}

// TestPaginateEndlessList scrolls through a list that grows twice.
func TestPaginateEndlessList(t *testing.T) {
	t.Parallel()
	home, c := serveBatchPages(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/endless"})
	got, texts := parsePages(t, c.Do("batch_paginate", tooltest.Args{"strategy": "scroll", "totalPages": 50, "waitMs": 3000}))
	all := strings.Join(texts, "\n")
	if !strings.Contains(got.Stopped, "scrolled to its end") {
		t.Errorf("%+v", got)
	}
	for part := 1; part <= 3; part++ {
		for row := range 12 {
			if n := strings.Count(all, fmt.Sprintf("part %d row %d\n", part, row)); n != 1 {
				t.Fatalf("part %d row %d comes %d times in\n%s", part, row, n, all)
			}
		}
	}
}

// TestPaginatePicturesAreArtifacts pages through what is drawn and has no text.
func TestPaginatePicturesAreArtifacts(t *testing.T) {
	t.Parallel()
	home, c := serveBatchPages(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/drawn"})
	got, texts := parsePages(t, c.Do("batch_paginate", tooltest.Args{"strategy": "keyboard", "captureMode": "screenshot", "waitMs": 800}))
	if got.Captured != 3 || len(texts) != 0 {
		t.Fatalf("%+v %s", got, texts)
	}
	for _, p := range got.Pages {
		whole, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: p.Screenshot})
		if err != nil || whole.Contents[0].MIMEType != "image/png" || len(whole.Contents[0].Blob) < 100 {
			t.Errorf("page %d: %v", p.Page, err)
		}
	}
}

// TestPaginateSharesItsBudget cuts every page alike, and keeps the whole.
func TestPaginateSharesItsBudget(t *testing.T) {
	t.Parallel()
	home, c := serveBatchPages(t), tooltest.Connect(t, toolkit.Options{})
	res := c.Do("batch_paginate", tooltest.Args{"strategy": "url", "urlTemplate": home + "/long?n={page}", "totalPages": 3})
	got, texts := parsePages(t, res)
	if n := len(tooltest.Text(res)); n > 38000 || n < 32000 || got.Captured != 3 || got.Whole == "" {
		t.Fatalf("%d bytes, %+v", n, got)
	}
	whole, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: got.Whole})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range got.Pages {
		if p.Shown < 10000 || p.Shown >= p.Bytes || !strings.Contains(texts[i], "[cut: ") {
			t.Errorf("%+v", p)
		}
		if n := strings.Count(whole.Contents[0].Text, fmt.Sprintf("line of page %d ", i+1)); n != 2000 {
			t.Errorf("the whole has %d lines of page %d", n, i+1)
		}
	}
}

func TestPaginateRefusals(t *testing.T) {
	t.Parallel()
	home, c := serveBatchPages(t), tooltest.Connect(t, toolkit.Options{})
	c.ExpectRefusal("NO_TAB", "batch_paginate", tooltest.Args{"strategy": "keyboard"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_paginate", tooltest.Args{"strategy": "click"}, "nextSelector")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_paginate", tooltest.Args{"strategy": "url"}, "urlTemplate")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_paginate", tooltest.Args{"strategy": "url", "urlTemplate": home + "/list"}, "{page}")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_paginate", tooltest.Args{"strategy": "keyboard", "totalPages": 101}, "100")
	c.ExpectRefusal("NOT_FOUND", "batch_paginate", tooltest.Args{"strategy": "url", "urlTemplate": home + "/list?page={page}", "startPage": 9}, "404")
	c.ExpectRefusal("POLICY_DENIED", "batch_paginate", tooltest.Args{"strategy": "url", "urlTemplate": "file:///etc/{page}"}, "navigation")
	c.ExpectRefusal("NAVIGATION_FAILED", "batch_paginate", tooltest.Args{"strategy": "url", "urlTemplate": "http://127.0.0.1:1/{page}"})
	c.Call("navigate", tooltest.Args{"url": home + "/keys"})
	got, _ := parsePages(t, c.Do("batch_paginate", tooltest.Args{"strategy": "keyboard", "keyAction": "NoSuchKey"}))
	if got.Captured != 1 || !strings.Contains(got.Stopped, "INVALID_ARGUMENTS") {
		t.Errorf("%+v", got)
	}
	got, _ = parsePages(t, c.Do("batch_paginate", tooltest.Args{"strategy": "click", "nextSelector": "p["}))
	if got.Captured != 1 || !strings.Contains(got.Stopped, "INVALID_ARGUMENTS") {
		t.Errorf("%+v", got)
	}
}
