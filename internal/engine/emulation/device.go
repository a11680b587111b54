package emulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/fault"
)

// Device is a screen with its input capabilities and its usual browser.
type Device struct {
	Name          string
	Width, Height int // CSS pixels
	Scale         float64
	Mobile, Touch bool
	Agent         *Agent // nil keeps the browser's own
}

func (d *Device) String() string {
	text := fmt.Sprintf("%s %dx%d@%g", d.Name, d.Width, d.Height, d.Scale)
	if d.Mobile {
		text += " mobile"
	}
	if d.Touch {
		text += " touch"
	}
	return text
}

func devices() map[string]Device {
	return map[string]Device{
		"iphone-14":         {Width: 390, Height: 844, Scale: 3},
		"iphone-14-pro-max": {Width: 430, Height: 932, Scale: 3},
		"iphone-se":         {Width: 375, Height: 667, Scale: 2},
		"ipad-pro":          {Width: 1024, Height: 1366, Scale: 2},
		"ipad-mini":         {Width: 768, Height: 1024, Scale: 2},
		"pixel-7":           {Width: 412, Height: 915, Scale: 2.625},
		"galaxy-s21":        {Width: 360, Height: 800, Scale: 3},
		"galaxy-fold":       {Width: 280, Height: 653, Scale: 3},
		"desktop-1080p":     {Width: 1920, Height: 1080, Scale: 1},
		"desktop-1440p":     {Width: 2560, Height: 1440, Scale: 1},
		"desktop-4k":        {Width: 3840, Height: 2160, Scale: 1},
		"laptop-13":         {Width: 1280, Height: 800, Scale: 2},
		"laptop-15":         {Width: 1440, Height: 900, Scale: 2},
	}
}

// DeviceNames lists the known devices, sorted.
func DeviceNames() []string { return slices.Sorted(maps.Keys(devices())) }

// DeviceNamed returns a known device in portrait orientation, and whether the name is known. chrome
// is as in AgentNamed.
func DeviceNamed(name, chrome string) (*Device, bool) {
	d, ok := devices()[name]
	if !ok {
		return nil, false
	}
	d.Name = name
	v := versionOf(chrome)
	android := func(model string) *Agent {
		a, _ := AgentNamed("chrome-android", chrome)
		a.Name, a.metadata = name, v.hints("Android", "14.0.0", "", model, true)
		return a
	}
	switch {
	case strings.HasPrefix(name, "iphone"):
		d.Agent, _ = AgentNamed("safari-iphone", chrome)
	case strings.HasPrefix(name, "ipad"):
		d.Agent, _ = AgentNamed("safari-ipad", chrome)
	case name == "pixel-7":
		d.Agent = android("Pixel 7")
	case name == "galaxy-s21":
		d.Agent = android("SM-G991B")
	case name == "galaxy-fold":
		d.Agent = android("SM-F900F")
	}
	d.Mobile, d.Touch = d.Agent != nil, d.Agent != nil
	return &d, true
}

// Check returns an error for a size or scale that the browser cannot emulate.
func (d *Device) Check() error {
	switch {
	case d.Width < 1 || d.Width > 10000 || d.Height < 1 || d.Height > 10000:
		return fault.Invalid("a screen of %dx%d is invalid: width and height are 1 to 10000", d.Width, d.Height)
	case d.Scale < 0.1 || d.Scale > 10:
		return fault.Invalid("a scale of %g is invalid: it is 0.1 to 10", d.Scale)
	}
	return nil
}

// Places returns the known positions by name.
func Places() map[string]Position {
	return map[string]Position{
		"seoul":         {Name: "Seoul", Latitude: 37.5665, Longitude: 126.978},
		"tokyo":         {Name: "Tokyo", Latitude: 35.6762, Longitude: 139.6503},
		"new-york":      {Name: "New York", Latitude: 40.7128, Longitude: -74.006},
		"london":        {Name: "London", Latitude: 51.5074, Longitude: -0.1278},
		"san-francisco": {Name: "San Francisco", Latitude: 37.7749, Longitude: -122.4194},
		"sydney":        {Name: "Sydney", Latitude: -33.8688, Longitude: 151.2093},
		"paris":         {Name: "Paris", Latitude: 48.8566, Longitude: 2.3522},
		"berlin":        {Name: "Berlin", Latitude: 52.52, Longitude: 13.405},
		"singapore":     {Name: "Singapore", Latitude: 1.3521, Longitude: 103.8198},
		"beijing":       {Name: "Beijing", Latitude: 39.9042, Longitude: 116.4074},
	}
}
