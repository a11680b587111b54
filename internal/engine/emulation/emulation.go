// Package emulation overrides the environment of one tab: device, user agent, location, media
// features, locale, timezone, CPU and network speed, headers and permissions.
//
// Overrides belong to the tab. They persist across navigations and process changes and apply to
// OOPIFs, workers and popups, until they are reset or the tab closes. The package must not know
// tools, nor single requests.
package emulation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/children"
	"github.com/callsheet/callsheet/internal/engine/page"
)

// Part is one kind of override. Each part is set and reset on its own.
type Part string

// The parts, in the order of reports.
const (
	DevicePart      Part = "device"
	AgentPart       Part = "user agent"
	PositionPart    Part = "geolocation"
	MediaPart       Part = "media"
	LocalePart      Part = "locale"
	TimezonePart    Part = "timezone"
	CPUPart         Part = "cpu"
	HeadersPart     Part = "headers"
	NetworkPart     Part = "network"
	PermissionsPart Part = "permissions"
	ClockPart       Part = "clock"
)

// Parts returns all parts.
func Parts() []Part {
	return []Part{
		DevicePart, AgentPart, PositionPart, MediaPart, LocalePart, TimezonePart, CPUPart, HeadersPart, NetworkPart,
		PermissionsPart, ClockPart,
	}
}

// Media holds values of CSS media features; "" keeps the browser's own.
type Media struct{ ColorScheme, ReducedMotion, ForcedColors string }

// Header is an HTTP header that the browser adds to every request of the tab.
type Header struct{ Name, Value string }

// Position is a geolocation, in degrees and meters.
type Position struct {
	Name                          string // "" for custom coordinates
	Latitude, Longitude, Accuracy float64
}

// Overrides are the values that a tab reports instead of its own. The zero value overrides nothing.
type Overrides struct {
	Device   *Device
	Agent    *Agent // nil uses the device's
	Position *Position
	Media    Media
	Locale   string  // BCP 47; "" keeps the browser's
	Timezone string  // IANA; "" keeps the machine's
	CPU      float64 // slowdown factor; 0 and 1 do not throttle
	Headers  []Header
	Network  *Conditions
	// Permissions maps CDP's permission names to granted, denied or prompt.
	Permissions map[string]string
	Step        bool // time goes on only while a call works on the page
}

// Emulation holds the overrides of one tab. Its methods are safe for concurrent use.
type Emulation struct {
	tab *browser.Tab

	mu      sync.Mutex
	current Overrides

	clock clock

	detachMu sync.Mutex
	detach   func() // nil while no override applies to children
}

type emulationKey struct{}

// Of returns the tab's emulation.
func Of(tab *browser.Tab) *Emulation {
	return tab.Instruments.Get(emulationKey{}, func() any { return &Emulation{tab: tab} }).(*Emulation)
}

// Current returns a copy of the overrides.
func (e *Emulation) Current() Overrides {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.current.clone()
}

func (o Overrides) clone() Overrides {
	o.Headers, o.Permissions = slices.Clone(o.Headers), maps.Clone(o.Permissions)
	return o
}

// Change edits the overrides and sets the given parts in the browser. If the browser refuses one,
// Change restores the earlier values. The errors are those of the values and of browser.Tab.Do.
func (e *Emulation) Change(ctx context.Context, edit func(*Overrides), parts ...Part) error {
	return e.tab.Do(ctx, func(ctx context.Context, _ *page.Page) error {
		session, err := e.tab.Protocol(ctx)
		if err != nil {
			return err
		}
		before := e.Current()
		after := before.clone()
		edit(&after)
		if len(activeParts(after)) > 0 {
			e.tab.Instruments.HoldPopups(ctx)
		}
		if err := e.apply(ctx, session, after, parts); err != nil {
			// The earlier values are restored even if the call has timed out.
			restoring, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
			defer cancel()
			return errors.Join(err, e.apply(restoring, session, before, parts))
		}
		e.mu.Lock()
		e.current = after
		e.mu.Unlock()
		e.tab.Children.Each(ctx, func(ctx context.Context, child *children.Session) {
			_ = applyChild(ctx, child, after, parts) // fails for a child that has ended
		})
		return e.updateAttachment(ctx, session)
	})
}

// updateAttachment attaches to the children of the tab while an override applies to them, and
// detaches otherwise.
func (e *Emulation) updateAttachment(ctx context.Context, session cdp.Session) error {
	e.detachMu.Lock()
	defer e.detachMu.Unlock()
	needed := slices.ContainsFunc(activeParts(e.Current()), appliesToChildren)
	switch {
	case needed && e.detach == nil:
		stop, err := e.tab.Children.HandleIn(ctx, session, &children.Handler{Attach: e.applyToChild})
		if err != nil {
			return err
		}
		e.detach = stop
	case !needed && e.detach != nil:
		e.detach()
		e.detach = nil
	}
	return nil
}

// applyToChild sets the overrides in a new child. A child that refuses a part, such as a worker
// without a screen, keeps its own value.
func (e *Emulation) applyToChild(ctx context.Context, child *children.Session) {
	now := e.Current()
	_ = applyChild(ctx, child, now, activeParts(now))
}

var _ browser.PopupInstrument = (*Emulation)(nil)

// AppliesToPopups reports whether there are overrides.
func (e *Emulation) AppliesToPopups() bool { return len(activeParts(e.Current())) > 0 }

// PreparePopup sets the overrides that the first request of a popup shows. It leaves out network
// conditions, which the sessions of a page share, so that the end of this session would reset them.
func (e *Emulation) PreparePopup(
	ctx context.Context, _ *browser.Tab, session cdp.Session,
) browser.PopupPreparation {
	set := func(ctx context.Context, o Overrides) { // fails only for a popup that has closed
		_ = applyAgent(ctx, session, o)
		_ = applyShared(ctx, session, o, HeadersPart)
	}
	_ = call(ctx, session, network.Enable, network.EnableParams{})
	set(ctx, e.Current())
	return browser.PopupPreparation{Finish: func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, restoreLimit)
		defer cancel()
		set(ctx, Overrides{})
	}}
}

// ApplyToPopup copies the overrides to a popup of the tab and its children.
func (e *Emulation) ApplyToPopup(ctx context.Context, popup *browser.Tab, session cdp.Session) {
	now := e.Current()
	target := Of(popup)
	_ = target.apply(ctx, session, now, activeParts(now)) // fails only for a popup that has closed
	target.mu.Lock()
	target.current = now
	target.mu.Unlock()
	_ = target.updateAttachment(ctx, session)
}

var _ browser.AgentInstrument = (*Emulation)(nil)

// RestoreAgent sets an overridden user agent again.
func (e *Emulation) RestoreAgent(ctx context.Context, session cdp.Session) {
	if now := e.Current(); now.Agent != nil || now.Device != nil {
		_ = applyAgent(ctx, session, now) // fails only for a page that has closed
	}
}

// Reset resets parts and returns descriptions of their former values. It skips parts that are not
// overridden.
func (e *Emulation) Reset(ctx context.Context, parts ...Part) ([]string, error) {
	now := e.Current()
	var resets []Part
	var descriptions []string
	for _, p := range Parts() {
		if slices.Contains(parts, p) && now.isActive(p) {
			resets = append(resets, p)
			descriptions = append(descriptions, now.Describe(p))
		}
	}
	if len(resets) == 0 {
		return nil, nil
	}
	err := e.Change(ctx, func(o *Overrides) {
		for _, p := range resets {
			o.reset(p)
		}
	}, resets...)
	if err != nil {
		return nil, err
	}
	return descriptions, nil
}

func activeParts(o Overrides) []Part {
	return slicesx.Filter(Parts(), o.isActive)
}

// isActive reports whether a part is overridden.
func (o Overrides) isActive(p Part) bool { return o.Describe(p) != "" }

func (o *Overrides) reset(p Part) {
	switch p {
	case DevicePart:
		o.Device = nil
	case AgentPart:
		o.Agent = nil
	case PositionPart:
		o.Position = nil
	case MediaPart:
		o.Media = Media{}
	case LocalePart:
		o.Locale = ""
	case TimezonePart:
		o.Timezone = ""
	case CPUPart:
		o.CPU = 0
	case HeadersPart:
		o.Headers = nil
	case NetworkPart:
		o.Network = nil
	case PermissionsPart:
		o.Permissions = nil
	case ClockPart:
		o.Step = false
	}
}

// Describe returns a part in a few words, or "" if it is not overridden. It omits header values,
// which may be secrets.
func (o Overrides) Describe(p Part) string {
	var names []string
	switch {
	case p == DevicePart && o.Device != nil:
		return "device " + o.Device.String()
	case p == AgentPart && o.Agent != nil:
		return "user agent " + o.Agent.Name
	case p == PositionPart && o.Position != nil:
		return strings.TrimSpace(fmt.Sprintf("geolocation %g,%g %s", o.Position.Latitude, o.Position.Longitude, o.Position.Name))
	case p == MediaPart && o.Media != Media{}:
		return "media " + o.Media.String()
	case p == LocalePart && o.Locale != "":
		return "locale " + o.Locale
	case p == TimezonePart && o.Timezone != "":
		return "timezone " + o.Timezone
	case p == CPUPart && o.CPU > 1:
		return fmt.Sprintf("cpu %g times slower", o.CPU)
	case p == HeadersPart && len(o.Headers) > 0:
		for _, h := range o.Headers {
			names = append(names, h.Name)
		}
		return "headers " + strings.Join(names, ", ")
	case p == NetworkPart && o.Network != nil:
		return "network " + o.Network.String()
	case p == PermissionsPart && len(o.Permissions) > 0:
		for _, name := range slices.Sorted(maps.Keys(o.Permissions)) {
			names = append(names, name+"="+o.Permissions[name])
		}
		return "permissions " + strings.Join(names, ", ")
	case p == ClockPart && o.Step:
		return "clock step: time stands still between calls, but for timers that the page began before: load it again"
	}
	return ""
}

func (m Media) String() string {
	var list []string
	for _, f := range m.activeFeatures() {
		list = append(list, f.Name+"="+f.Value)
	}
	return strings.Join(list, ", ")
}
