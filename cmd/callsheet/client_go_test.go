package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/generated/clients/go/callsheet"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serverForClients is the program with every tool, as a typed client starts it.
func serverForClients(t *testing.T) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "serve", "--state-dir", t.TempDir(), "--all-tools")
	cmd.Env = append(os.Environ(), asServer+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// TestGoClient calls tools of a running server with the generated client, and reads its refusals.
func TestGoClient(t *testing.T) {
	t.Parallel()
	ctx, site := t.Context(), tooltest.ServeSite(t)
	c, err := callsheet.Start(ctx, serverForClients(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	called := map[string]bool{}
	for _, step := range goClientCalls(ctx, c, site) {
		text, err := step.call()
		if err != nil {
			t.Fatalf("%s: %v", step.tool, err)
		}
		if !strings.Contains(text, step.want) {
			t.Errorf("%s says %q, which lacks %q", step.tool, text, step.want)
		}
		called[step.tool] = true
	}
	if len(called) < 20 {
		t.Errorf("%d tools are called", len(called))
	}
	if picture, err := c.PageScreenshot(ctx, &callsheet.PageScreenshotOptions{Format: callsheet.PageScreenshotFormatJpeg}); err != nil {
		t.Error(err)
	} else if _, ok := picture.Content[len(picture.Content)-1].(*mcp.ImageContent); !ok {
		t.Errorf("the content of a screenshot is %v", picture.Content)
	}
	if tabs, err := c.TabsContext(ctx, nil); err != nil || len(tabs.Value.Tabs) != tabs.Value.TabCount || tabs.Value.Tabs[0].Title != "Submitted" {
		t.Errorf("the tabs are %+v, %v", tabs, err)
	}
	checkGoRefusals(ctx, t, c)
}

// clientCall is a call of a tool and a text that its result contains.
type clientCall struct {
	tool, want string
	call       func() (string, error)
}

// textOf is the text of a result, whether its tool declares what it returns or not.
func textOf[R interface{ Text() string }](result R, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return result.Text(), nil
}

func goClientCalls(ctx context.Context, c *callsheet.Client, site string) []clientCall {
	return []clientCall{
		{"navigate", "Order form", func() (string, error) { return textOf(c.Navigate(ctx, site+"/form.html", nil)) }},
		{"read_page", "Send order", func() (string, error) {
			return textOf(c.ReadPage(ctx, &callsheet.ReadPageOptions{Mode: callsheet.ReadPageModeInteractive, MaxBytes: new(4000)}))
		}},
		{"find", "Password", func() (string, error) {
			return textOf(c.Find(ctx, "password field", &callsheet.FindOptions{Limit: new(3)}))
		}},
		{"fill_form", "", func() (string, error) {
			return textOf(c.FillForm(ctx, []callsheet.FillFormFieldsItem{{Query: new("Name"), Value: "Ada"}, {Query: new("Gift"), Value: "true"}}, nil))
		}},
		{"form_input", "", func() (string, error) {
			return textOf(c.FormInput(ctx, "Large", &callsheet.FormInputOptions{Query: new("Size")}))
		}},
		{"query_dom", "name", func() (string, error) {
			return textOf(c.QueryDOM(ctx, callsheet.QueryDOMMethodCSS, &callsheet.QueryDOMOptions{Selector: new("input"), Multiple: new(true)}))
		}},
		{"inspect", "Send order", func() (string, error) { return textOf(c.Inspect(ctx, "Send order", nil)) }},
		{"page_content", "<form", func() (string, error) {
			return textOf(c.PageContent(ctx, &callsheet.PageContentOptions{Selector: new("form")}))
		}},
		{"interact", "Submitted", func() (string, error) {
			return textOf(c.Interact(ctx, &callsheet.InteractOptions{Query: new("Send order"), Action: callsheet.InteractActionClick}))
		}},
		{"javascript_tool", "Thanks", func() (string, error) {
			return textOf(c.JavascriptTool(ctx, "document.querySelector('h1').textContent", nil))
		}},
		{"wait_for", "", func() (string, error) {
			return textOf(c.WaitFor(ctx, callsheet.WaitForTypeSelector, &callsheet.WaitForOptions{Value: new("h1"), Visible: new(true)}))
		}},
		{"tabs_create", "t2", func() (string, error) { return textOf(c.TabsCreate(ctx, site+"/acting.html", nil)) }},
		{"tabs_context", "Acting", func() (string, error) { return textOf(c.TabsContext(ctx, nil)) }},
		{"page_reload", "", func() (string, error) {
			return textOf(c.PageReload(ctx, &callsheet.PageReloadOptions{IgnoreCache: new(true)}))
		}},
		{"lightweight_scroll", "", func() (string, error) {
			return textOf(c.LightweightScroll(ctx, callsheet.LightweightScrollDirectionDown, &callsheet.LightweightScrollOptions{Amount: new(200)}))
		}},
		{"computer", "", func() (string, error) {
			return textOf(c.Computer(ctx, callsheet.ComputerActionScroll, &callsheet.ComputerOptions{Coordinate: []float64{200, 200}}))
		}},
		{"tabs_close", "", func() (string, error) {
			return textOf(c.TabsClose(ctx, &callsheet.TabsCloseOptions{TabIDs: []string{"t2"}}))
		}},
		{"cookies", "", func() (string, error) {
			return textOf(c.Cookies(ctx, callsheet.CookiesActionSet, &callsheet.CookiesOptions{Name: new("taste"), Value: new("plain")}))
		}},
		{"storage", "", func() (string, error) {
			return textOf(c.Storage(ctx, callsheet.StorageStorageTypeLocal, callsheet.StorageActionSet, &callsheet.StorageOptions{Key: new("k"), Value: new("v")}))
		}},
		{"emulate_device", "", func() (string, error) {
			return textOf(c.EmulateDevice(ctx, &callsheet.EmulateDeviceOptions{Width: new(400), Height: new(700), Scale: new(1.5)}))
		}},
		{"performance_metrics", "", func() (string, error) { return textOf(c.PerformanceMetrics(ctx, nil)) }},
		{"oc_journal", "navigate", func() (string, error) {
			return textOf(c.OcJournal(ctx, &callsheet.OcJournalOptions{Action: callsheet.OcJournalActionRecent, Count: new(50)}))
		}},
		{"oc_connection_health", "", func() (string, error) { return textOf(c.OcConnectionHealth(ctx, nil)) }},
		{"expand_tools", "", func() (string, error) {
			return textOf(c.ExpandTools(ctx, &callsheet.ExpandToolsOptions{Tier: callsheet.ExpandToolsTier2}))
		}},
	}
}

// checkGoRefusals reads refusals with errors.As: by the type of a code, and by the type of all.
func checkGoRefusals(ctx context.Context, t *testing.T, c *callsheet.Client) {
	t.Helper()
	_, err := c.Interact(ctx, &callsheet.InteractOptions{Ref: new("e9999")})
	var stale *callsheet.StaleRefError
	var missing *callsheet.NotFoundError
	switch {
	case errors.As(err, &stale) && stale.Fields.Ref == "e9999" && stale.Class == "conflict" && stale.Tool == "interact":
	case errors.As(err, &missing) && missing.Fields.Ref == "e9999" && missing.Class == "not_found":
	default:
		t.Errorf("a ref that no page has: %#v", err)
	}
	_, err = c.ReadPage(ctx, &callsheet.ReadPageOptions{MaxBytes: new(1 << 30)})
	var invalid *callsheet.InvalidArgumentsError
	if !errors.As(err, &invalid) || len(invalid.Fields.Violations) != 1 || invalid.Message == "" || !strings.Contains(string(invalid.Envelope), "max_bytes") {
		t.Errorf("an argument out of bounds: %#v", err)
	}
	_, err = c.FillForm(ctx, []callsheet.FillFormFieldsItem{{Query: new("zzz qqq"), Value: "x"}}, &callsheet.FillFormOptions{WaitForMs: new(0)})
	var refusal *callsheet.Refusal
	if !errors.As(err, &refusal) || refusal.Code != callsheet.CodeNotFound || len(refusal.Common.Problems) == 0 {
		t.Errorf("a field that is not there: %#v", err)
	}
	if errors.As(err, &invalid) {
		t.Error("errors.As takes one code for another")
	}
	var loading *callsheet.NavigationFailedError
	if _, err = c.Navigate(ctx, "http://127.0.0.1:1/", nil); !errors.As(err, &loading) {
		t.Errorf("an address that does not answer: %#v", err)
	}
	if _, err = c.Computer(ctx, 0, nil); err == nil || errors.As(err, &refusal) && refusal.Code == "" {
		t.Errorf("an enum without a value: %v", err)
	}
}
