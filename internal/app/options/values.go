package options

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

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

// The formats of the log, and who may read the metrics.
const (
	logText     = "text"
	logJSON     = "json"
	metricsOff  = "off"
	metricsOn   = "on"
	metricsOpen = "open"
)

// wordValue is a flag of one of several words, of which the first stands for none.
type wordValue[T ~string] struct {
	to    *T
	words []T
}

func (v wordValue[T]) String() string { return string(cmp.Or(*v.to, v.words[0])) }

// Set refuses what is none of the words.
func (v wordValue[T]) Set(text string) error {
	if !slices.Contains(v.words, T(text)) {
		return errors.New("known: " + strings.Trim(strings.ReplaceAll(fmt.Sprint(v.words), " ", ", "), "[]"))
	}
	*v.to = T(text)
	return nil
}

// Type names the value in help.
func (wordValue[T]) Type() string { return "MODE" }

// TabsFlag is the value of a flag that says which tabs of an attached browser sessions may use.
func TabsFlag(to *browser.TabAccess) pflag.Value {
	return wordValue[browser.TabAccess]{to, []browser.TabAccess{browser.OpenedTabs, browser.PinnedTabs, browser.GroupedTabs, browser.AllTabs}}
}

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
