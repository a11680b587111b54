// Package emulation makes the page of one tab believe in other surroundings: another device, place, language, network.
//
// Overrides are the tab's: they hold across navigations and changes of process, in frames of other sites, in workers and in
// the popups it opens, until they are reset or the tab is closed. The package must not know tools, nor requests one by one.
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

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/fault"
)

// Part is one kind of override. Parts are set and reset apart.
type Part string

// The parts, in the order in which they are told.
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
)

// Parts lists all of them.
func Parts() []Part {
	return []Part{
		DevicePart, AgentPart, PositionPart, MediaPart, LocalePart, TimezonePart, CPUPart, HeadersPart, NetworkPart, PermissionsPart,
	}
}

// Media are the preferences that style sheets can ask for; "" is the browser's own.
type Media struct{ ColorScheme, ReducedMotion, ForcedColors string }

// Header is an HTTP header that every request of the tab carries.
type Header struct{ Name, Value string }

// Position is a place on Earth.
type Position struct {
	Name                          string // "" if it has none
	Latitude, Longitude, Accuracy float64
}

// Overrides are the surroundings that a page is made to believe in. The zero value is none.
type Overrides struct {
	Device   *Device
	Agent    *Agent // of the device if nil
	Position *Position
	Media    Media
	Locale   string  // BCP 47; "" is the browser's
	Timezone string  // IANA; "" is the machine's
	CPU      float64 // times slower; 0 is as it is
	Headers  []Header
	Network  *Conditions
	// Permissions are granted, denied or prompt by the protocol's name.
	Permissions map[string]string
}

// InvalidError says why an override is invalid. The call that returns it changes nothing.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }

// Code implements fault.Coded.
func (e *InvalidError) Code() fault.Code { return fault.InvalidArguments }

// Fields implements fault.Coded.
func (e *InvalidError) Fields() []fault.Field { return nil }

// Emulation is the overrides of one tab. Its methods are safe for concurrent use.
type Emulation struct {
	tab *browser.Tab

	mu      sync.Mutex
	current Overrides

	detachMu sync.Mutex
	detach   func() // of the companion, nil without one
}

type emulationKey struct{}

// Of returns the tab's emulation.
func Of(tab *browser.Tab) *Emulation {
	return tab.Instrument(emulationKey{}, func() any { return &Emulation{tab: tab} }).(*Emulation)
}

// Current returns what is overridden.
func (e *Emulation) Current() Overrides {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.current.clone()
}

func (o Overrides) clone() Overrides {
	o.Headers, o.Permissions = slices.Clone(o.Headers), maps.Clone(o.Permissions)
	return o
}

// Change edits the overrides and puts those parts into effect. If the browser refuses, what was in effect stays so.
// The errors are InvalidError and those of browser.Tab.Do.
func (e *Emulation) Change(ctx context.Context, edit func(*Overrides), parts ...Part) error {
	return e.tab.Do(ctx, func(ctx context.Context, _ *page.Page) error {
		session, err := e.tab.Protocol(ctx)
		if err != nil {
			return err
		}
		before := e.Current()
		after := before.clone()
		edit(&after)
		if err := e.apply(ctx, session, after, parts); err != nil {
			// What was good before is put back, also when the call has run out of time.
			back, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
			defer cancel()
			return errors.Join(err, e.apply(back, session, before, parts))
		}
		e.mu.Lock()
		e.current = after
		e.mu.Unlock()
		e.tab.EachChild(ctx, func(ctx context.Context, child *browser.ChildSession) {
			_ = applyChild(ctx, child, after, parts) // a frame that went meanwhile
		})
		return e.updateAttachment(ctx)
	})
}

// updateAttachment is with the tab's frames while there is something to tell them.
func (e *Emulation) updateAttachment(ctx context.Context) error {
	e.detachMu.Lock()
	defer e.detachMu.Unlock()
	needed := slices.ContainsFunc(activeParts(e.Current()), appliesToChildren)
	switch {
	case needed && e.detach == nil:
		stop, err := e.tab.HandleChildren(ctx, &browser.ChildHandler{Attach: e.applyToChild})
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

// applyToChild tells a child what holds. One that refuses a part, such as a worker without a screen, is left as it is.
func (e *Emulation) applyToChild(ctx context.Context, child *browser.ChildSession) {
	now := e.Current()
	_ = applyChild(ctx, child, now, activeParts(now))
}

// ApplyToPopup puts the overrides into effect in a popup of the tab, before anybody works on it.
func (e *Emulation) ApplyToPopup(ctx context.Context, popup *browser.Tab, session cdp.Session) {
	now := e.Current()
	if len(activeParts(now)) == 0 {
		return
	}
	heir := Of(popup)
	if heir.apply(ctx, session, now, activeParts(now)) != nil {
		return // a popup that closed at once
	}
	heir.mu.Lock()
	heir.current = now
	heir.mu.Unlock()
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
		defer cancel()
		_ = heir.updateAttachment(ctx)
	}()
}

// Reset undoes parts and says what each of them was. Parts that are not overridden are passed over.
func (e *Emulation) Reset(ctx context.Context, parts ...Part) ([]string, error) {
	now := e.Current()
	var undo []Part
	var told []string
	for _, p := range Parts() {
		if slices.Contains(parts, p) && now.isActive(p) {
			undo = append(undo, p)
			told = append(told, now.Describe(p))
		}
	}
	if len(undo) == 0 {
		return nil, nil
	}
	err := e.Change(ctx, func(o *Overrides) {
		for _, p := range undo {
			o.reset(p)
		}
	}, undo...)
	if err != nil {
		return nil, err
	}
	return told, nil
}

func activeParts(o Overrides) (parts []Part) {
	for _, p := range Parts() {
		if o.isActive(p) {
			parts = append(parts, p)
		}
	}
	return parts
}

// isActive reports whether a part is overridden.
func (o Overrides) isActive(p Part) bool {
	var none Overrides
	switch p {
	case DevicePart:
		return o.Device != nil
	case AgentPart:
		return o.Agent != nil
	case PositionPart:
		return o.Position != nil
	case MediaPart:
		return o.Media != none.Media
	case LocalePart:
		return o.Locale != ""
	case TimezonePart:
		return o.Timezone != ""
	case CPUPart:
		return o.CPU > 1
	case HeadersPart:
		return len(o.Headers) > 0
	case NetworkPart:
		return o.Network != nil
	case PermissionsPart:
		return len(o.Permissions) > 0
	}
	return false
}

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
	}
}

// Describe tells a part in a few words. Values of headers can be secrets and are not told.
func (o Overrides) Describe(p Part) string {
	if !o.isActive(p) {
		return ""
	}
	switch p {
	case DevicePart:
		return "device " + o.Device.String()
	case AgentPart:
		return "user agent " + o.Agent.Name
	case PositionPart:
		return strings.TrimSpace(fmt.Sprintf("geolocation %g,%g %s", o.Position.Latitude, o.Position.Longitude, o.Position.Name))
	case MediaPart:
		return "media " + o.Media.String()
	case LocalePart:
		return "locale " + o.Locale
	case TimezonePart:
		return "timezone " + o.Timezone
	case CPUPart:
		return fmt.Sprintf("cpu %g times slower", o.CPU)
	case HeadersPart:
		var names []string
		for _, h := range o.Headers {
			names = append(names, h.Name)
		}
		return "headers " + strings.Join(names, ", ")
	case NetworkPart:
		return "network " + o.Network.String()
	case PermissionsPart:
		var list []string
		for _, name := range slices.Sorted(maps.Keys(o.Permissions)) {
			list = append(list, name+"="+o.Permissions[name])
		}
		return "permissions " + strings.Join(list, ", ")
	}
	return string(p)
}

func (m Media) String() string {
	var list []string
	for _, f := range m.activeFeatures() {
		list = append(list, f.Name+"="+f.Value)
	}
	return strings.Join(list, ", ")
}
