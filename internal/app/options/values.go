package options

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
)

// offValue is an on|off flag whose default is on.
type offValue struct{ off *bool }

func (v offValue) String() string {
	if v.off != nil && *v.off {
		return "off"
	}
	return "on"
}

func (v offValue) Set(text string) error {
	if text != "on" && text != "off" {
		return fmt.Errorf("on or off, not %q", text)
	}
	*v.off = text == "off"
	return nil
}

// Type names the value in help.
func (offValue) Type() string { return "on|off" }

// FlagPilot and FlagWebMCP turn the capabilities of these names on.
const (
	FlagPilot  = "pilot"
	FlagWebMCP = "webmcp"
)

// optInValue is a flag that puts a name on a list: a capability that is off by default, or a policy surface that is to
// be off.
type optInValue struct {
	names *[]string
	name  string
}

func (v optInValue) String() string {
	return strconv.FormatBool(v.names != nil && slices.Contains(*v.names, v.name))
}

func (v optInValue) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("true or false")
	}
	*v.names = slices.DeleteFunc(*v.names, func(name string) bool { return name == v.name })
	if on {
		*v.names = append(*v.names, v.name)
	}
	return nil
}

// Type names the value in help.
func (optInValue) Type() string { return "bool" }

// visibilityValue is a kind of visibility; "" is the core list.
type visibilityValue toolkit.Visibility

func (v *visibilityValue) String() string { return string(cmp.Or(*v, visibilityValue(toolkit.Core))) }

func (v *visibilityValue) Set(text string) error {
	if !slices.Contains(toolkit.Visibilities(), toolkit.Visibility(text)) {
		return errors.New("known: core, follow, static")
	}
	*v = visibilityValue(text)
	return nil
}

func (v *visibilityValue) Type() string { return "mode" }

// The formats of the log.
const (
	logText = "text"
	logJSON = "json"
)

// logFormatValue is how the log is written; "" is text.
type logFormatValue string

func (v *logFormatValue) String() string { return cmp.Or(string(*v), logText) }

func (v *logFormatValue) Set(text string) error {
	if text != logText && text != logJSON {
		return errors.New("known: text, json")
	}
	*v = logFormatValue(text)
	return nil
}

func (v *logFormatValue) Type() string { return "format" }

// viewportValue is a page's size in CSS pixels; zero leaves it to the browser.
type viewportValue browser.Size

func (v *viewportValue) String() string {
	if *v == (viewportValue{}) {
		return ""
	}
	return strconv.Itoa(v.Width) + "x" + strconv.Itoa(v.Height)
}

// maxViewportSide bounds a viewport's sides in CSS pixels; Chromium's own textures end near it.
const maxViewportSide = 16384

func (v *viewportValue) Set(text string) error {
	wide, high, ok := strings.Cut(text, "x")
	width, err1 := strconv.Atoi(wide)
	height, err2 := strconv.Atoi(high)
	if !ok || err1 != nil || err2 != nil || width < 1 || height < 1 || width > maxViewportSide || height > maxViewportSide {
		return errors.New("expected WIDTHxHEIGHT, as 1280x720")
	}
	v.Width, v.Height = width, height
	return nil
}

func (v *viewportValue) Type() string { return "WxH" }

// TabsValue is the flag that says which tabs of an attached browser sessions may use.
type TabsValue browser.TabAccess

func (v *TabsValue) String() string {
	if *v == "" {
		return string(browser.OpenedTabs)
	}
	return string(*v)
}

// Set refuses a word that names no access to tabs.
func (v *TabsValue) Set(text string) error {
	all := []browser.TabAccess{browser.OpenedTabs, browser.PinnedTabs, browser.GroupedTabs, browser.AllTabs}
	if !slices.Contains(all, browser.TabAccess(text)) {
		return errors.New("opened, pinned, group or all")
	}
	*v = TabsValue(text)
	return nil
}

// Type names the value in help.
func (*TabsValue) Type() string { return "MODE" }
