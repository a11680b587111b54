// Package environment implements the tools of area environment: overrides of user agent, device,
// position, network and credentials.
//
// It parses arguments and renders results; the engine applies the overrides.
package environment

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/environmentapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/emulation"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/session"
)

// Tools are the handlers of the area.
type Tools struct{ sessions session.Lookup }

// New makes the handlers.
func New(sessions session.Lookup) *Tools { return &Tools{sessions: sessions} }

var _ environmentapi.Handlers = (*Tools)(nil)

// change finds the tab, edits its overrides and tells the parts that now hold.
func (t *Tools) change(
	ctx context.Context, call *toolkit.Call, id toolkit.Opt[string], make func(tab *browser.Tab) (func(*emulation.Overrides), error), parts ...emulation.Part,
) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, id)
	if err != nil {
		return toolkit.Result{}, err
	}
	edit, err := make(tab)
	if err != nil {
		return toolkit.Result{}, err
	}
	e := emulation.Of(tab)
	if err := e.Change(ctx, edit, parts...); err != nil {
		return toolkit.Result{}, err
	}
	now := e.Current()
	var told []string
	for _, p := range parts {
		text := now.Describe(p)
		if text == "" {
			text = string(p) + " not overridden"
		}
		told = append(told, text)
	}
	return toolkit.Textf("%s: %s", tab.ID(), strings.Join(told, "; ")), nil
}

// reset undoes parts of a tab's overrides and says which there were.
func (t *Tools) reset(ctx context.Context, call *toolkit.Call, id toolkit.Opt[string], parts ...emulation.Part) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, id)
	if err != nil {
		return toolkit.Result{}, err
	}
	undone, err := emulation.Of(tab).Reset(ctx, parts...)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(resetText(tab, undone)), nil
}

func resetText(tab *browser.Tab, undone []string) string {
	if len(undone) == 0 {
		return tab.ID() + ": nothing was overridden"
	}
	return tab.ID() + ": reset " + strings.Join(undone, "; ")
}

// UserAgent overrides what the browser says it is.
func (t *Tools) UserAgent(ctx context.Context, call *toolkit.Call, in environmentapi.UserAgentParams) (toolkit.Result, error) {
	if in.Reset.Set {
		return t.reset(ctx, call, in.TabID, emulation.AgentPart)
	}
	return t.change(ctx, call, in.TabID, func(tab *browser.Tab) (func(*emulation.Overrides), error) {
		agent, known := emulation.AgentNamed(in.Preset.Value, tab.Version())
		if in.Custom.Set {
			var err error
			if agent, err = emulation.ParseAgent(in.Custom.Value); err != nil {
				return nil, err
			}
		} else if !known {
			return nil, unknownPreset(in.Preset.Value, emulation.AgentNames())
		}
		return func(o *emulation.Overrides) { o.Agent = agent }, nil
	}, emulation.AgentPart)
}

// Geolocation overrides the position that the page reads.
func (t *Tools) Geolocation(ctx context.Context, call *toolkit.Call, in environmentapi.GeolocationParams) (toolkit.Result, error) {
	if in.Reset.Set {
		return t.reset(ctx, call, in.TabID, emulation.PositionPart)
	}
	places := emulation.Places()
	place, known := places[in.Preset.Value]
	switch {
	case in.Preset.Set && !known:
		return toolkit.Result{}, unknownPreset(in.Preset.Value, slices.Sorted(maps.Keys(places)))
	case in.Latitude.Set != in.Longitude.Set:
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "a position is latitude and longitude, or a preset")
	case in.Latitude.Set:
		place = emulation.Position{Latitude: in.Latitude.Value, Longitude: in.Longitude.Value}
	}
	place.Accuracy = in.Accuracy
	return t.change(ctx, call, in.TabID, func(*browser.Tab) (func(*emulation.Overrides), error) {
		return func(o *emulation.Overrides) { o.Position = &place }, nil
	}, emulation.PositionPart)
}

// EmulateDevice gives the page the screen, touch and user agent of a device.
func (t *Tools) EmulateDevice(ctx context.Context, call *toolkit.Call, in environmentapi.EmulateDeviceParams) (toolkit.Result, error) {
	if in.Reset.Set {
		return t.reset(ctx, call, in.TabID, emulation.DevicePart)
	}
	return t.change(ctx, call, in.TabID, func(tab *browser.Tab) (func(*emulation.Overrides), error) {
		device, err := deviceOf(in, tab.Version())
		return func(o *emulation.Overrides) { o.Device = device }, err
	}, emulation.DevicePart)
}

// unknownPreset refuses a name that no preset has, with those there are.
func unknownPreset(name string, names []string) error {
	message := fmt.Sprintf("there is no preset %q", name)
	if near := toolkit.Nearest(name, names); near != "" {
		message += fmt.Sprintf(", did you mean %q?", near)
	}
	return toolkit.Refuse(toolkit.InvalidArguments, message, toolkit.Field{Name: "presets", Value: names})
}

func deviceOf(in environmentapi.EmulateDeviceParams, chrome string) (*emulation.Device, error) {
	device, known := emulation.DeviceNamed(in.Preset.Value, chrome)
	switch {
	case in.Preset.Set && !known:
		return nil, unknownPreset(in.Preset.Value, emulation.DeviceNames())
	case !known:
		device = &emulation.Device{Name: "custom", Width: in.Width.Value, Height: in.Height.Value, Scale: 1, Mobile: in.Mobile.Value, Touch: in.Mobile.Value}
	}
	if in.Scale.Set {
		device.Scale = in.Scale.Value
	}
	if in.Mobile.Set {
		device.Mobile = in.Mobile.Value
	}
	if in.Touch.Set {
		device.Touch = in.Touch.Value
	}
	if in.UserAgent.Set {
		agent, err := emulation.ParseAgent(in.UserAgent.Value)
		if err != nil {
			return nil, err
		}
		device.Agent = agent
	}
	if in.Landscape.Value && device.Width < device.Height {
		device.Width, device.Height = device.Height, device.Width
	}
	return device, device.Check()
}

// EmulateEnvironment overrides what else a page can ask for, or undoes every override.
func (t *Tools) EmulateEnvironment(ctx context.Context, call *toolkit.Call, in environmentapi.EmulateEnvironmentParams) (toolkit.Result, error) {
	if in.Reset.Value {
		return t.resetAll(ctx, call, in.TabID)
	}
	edits, parts, err := environment(in)
	if err != nil {
		return toolkit.Result{}, err
	}
	if len(parts) == 0 {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "give what to override, or reset: true")
	}
	return t.change(ctx, call, in.TabID, func(*browser.Tab) (func(*emulation.Overrides), error) {
		return func(o *emulation.Overrides) {
			for _, edit := range edits {
				edit(o)
			}
		}, nil
	}, parts...)
}

// resetAll undoes every override of the tab, credentials included.
func (t *Tools) resetAll(ctx context.Context, call *toolkit.Call, id toolkit.Opt[string]) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, id)
	if err != nil {
		return toolkit.Result{}, err
	}
	undone, err := emulation.Of(tab).Reset(ctx, emulation.Parts()...)
	if err != nil {
		return toolkit.Result{}, err
	}
	interceptor := network.InterceptorOf(tab)
	had, err := interceptor.ClearCredentials(ctx)
	if err != nil {
		return toolkit.Result{}, err
	}
	if had {
		undone = append(undone, "HTTP credentials")
	}
	text := resetText(tab, undone)
	if n := len(interceptor.List()); n > 0 {
		text += fmt.Sprintf("; %d request rules stay", n)
	}
	return toolkit.Text(text), nil
}

// environment reads the arguments into edits, with the parts that they are about.
func environment(in environmentapi.EmulateEnvironmentParams) (edits []func(*emulation.Overrides), parts []emulation.Part, err error) {
	add := func(p emulation.Part, edit func(*emulation.Overrides)) {
		edits = append(edits, edit)
		if !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	auto := func(value string) string {
		if value == "auto" {
			return ""
		}
		return value
	}
	if in.ColorScheme.Set {
		add(emulation.MediaPart, func(o *emulation.Overrides) { o.Media.ColorScheme = auto(string(in.ColorScheme.Value)) })
	}
	if in.ReducedMotion.Set {
		add(emulation.MediaPart, func(o *emulation.Overrides) { o.Media.ReducedMotion = auto(string(in.ReducedMotion.Value)) })
	}
	if in.ForcedColors.Set {
		add(emulation.MediaPart, func(o *emulation.Overrides) { o.Media.ForcedColors = auto(string(in.ForcedColors.Value)) })
	}
	if in.Locale.Set {
		add(emulation.LocalePart, func(o *emulation.Overrides) { o.Locale = in.Locale.Value })
	}
	if in.Timezone.Set {
		add(emulation.TimezonePart, func(o *emulation.Overrides) { o.Timezone = in.Timezone.Value })
	}
	if in.Cpu.Set {
		add(emulation.CPUPart, func(o *emulation.Overrides) { o.CPU = in.Cpu.Value })
	}
	if in.Headers != nil {
		headers, err := emulation.ParseHeaders(in.Headers)
		if err != nil {
			return nil, nil, err
		}
		add(emulation.HeadersPart, func(o *emulation.Overrides) { o.Headers = headers })
	}
	if in.Permissions != nil {
		permissions, err := emulation.ParsePermissions(in.Permissions)
		if err != nil {
			return nil, nil, err
		}
		add(emulation.PermissionsPart, func(o *emulation.Overrides) { o.Permissions = permissions })
	}
	if in.Clock.Set {
		add(emulation.ClockPart, func(o *emulation.Overrides) { o.Step = in.Clock.Value == environmentapi.EmulateEnvironmentClockStep })
	}
	return edits, parts, nil
}

// Network throttles or cuts the tab's network.
func (t *Tools) Network(ctx context.Context, call *toolkit.Call, in environmentapi.NetworkParams) (toolkit.Result, error) {
	if in.Preset == environmentapi.NetworkPresetClear {
		return t.reset(ctx, call, in.TabID, emulation.NetworkPart)
	}
	conditions := emulation.Networks()[string(in.Preset)]
	if in.Preset == environmentapi.NetworkPresetCustom {
		conditions = emulation.Conditions{
			Name: "custom", DownloadKbps: in.DownloadKbps.Value, UploadKbps: in.UploadKbps.Value, LatencyMS: in.LatencyMs.Value,
		}
		if !in.DownloadKbps.Set || !in.UploadKbps.Set {
			return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "preset custom needs downloadKbps and uploadKbps (offline has none)")
		}
	} else if in.DownloadKbps.Set || in.UploadKbps.Set || in.LatencyMs.Set {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "downloadKbps, uploadKbps and latencyMs are for preset custom")
	}
	return t.change(ctx, call, in.TabID, func(*browser.Tab) (func(*emulation.Overrides), error) {
		return func(o *emulation.Overrides) { o.Network = &conditions }, nil
	}, emulation.NetworkPart)
}

// HTTPAuth keeps credentials for servers that ask for them.
func (t *Tools) HTTPAuth(ctx context.Context, call *toolkit.Call, in environmentapi.HTTPAuthParams, powers environmentapi.HTTPAuthPowers) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	interceptor := network.InterceptorOf(tab)
	if in.Action == environmentapi.HTTPAuthActionSet {
		credentials, err := credentialsOf(ctx, in)
		if err != nil {
			return toolkit.Result{}, err
		}
		if err := interceptor.SetCredentials(ctx, powers.Network(), credentials); err != nil {
			return toolkit.Result{}, err
		}
		if credentials.Origin == "" {
			return toolkit.Textf("%s: credentials are given to the site of the tab's page, whichever it is", tab.ID()), nil
		}
		return toolkit.Textf("%s: credentials are given to %s", tab.ID(), credentials.Origin), nil
	}
	had, err := interceptor.ClearCredentials(ctx)
	if err != nil {
		return toolkit.Result{}, err
	}
	if had {
		return toolkit.Textf("%s: credentials cleared; the browser may remember for a site that it has logged in", tab.ID()), nil
	}
	return toolkit.Textf("%s: there were no credentials", tab.ID()), nil
}

// credentialsOf fills the secret of a password in for the origin that the call names.
func credentialsOf(ctx context.Context, in environmentapi.HTTPAuthParams) (network.Credentials, error) {
	c := network.Credentials{Username: in.Username.Value, Password: in.Password.Value, Origin: in.Origin.Value}
	if !secret.NamedIn(c.Password) {
		return c, nil
	}
	if c.Origin == "" {
		return c, toolkit.Violations{{Path: "/origin", Problem: "a secret is sent to one origin: give it, such as https://example.com"}}
	}
	origin, err := network.Origin(c.Origin)
	if err != nil {
		return c, err
	}
	c.Origin = origin
	c.Password, err = secret.Fill(ctx, c.Password, origin)
	return c, err
}
