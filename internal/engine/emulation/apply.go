package emulation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/engine/browser/children"
	"github.com/callsheet/callsheet/internal/engine/browser/permission"
	"github.com/callsheet/callsheet/internal/fault"
)

// restoreLimit bounds commands that run after a call has ended, or concurrently with one.
const restoreLimit = 5 * time.Second

// call runs a CDP command and drops its result.
func call[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, s, c, params)
	return err
}

// appliesToChildren reports whether a part must be set in the sessions of OOPIFs and workers as
// well. The other parts belong to the whole page or browser context.
func appliesToChildren(p Part) bool {
	return p != PositionPart && p != PermissionsPart && p != ClockPart
}

// apply sets parts in the session of the page. It sends each part as a whole, so that it can be
// repeated.
func (e *Emulation) apply(ctx context.Context, s cdp.Session, o Overrides, parts []Part) error {
	for _, p := range parts {
		if err := e.applyPart(ctx, s, o, p); err != nil {
			return explainRefusal(p, o, err)
		}
	}
	return nil
}

func (e *Emulation) applyPart(ctx context.Context, s cdp.Session, o Overrides, p Part) error {
	switch p {
	case DevicePart:
		if err := e.applyScreen(ctx, s, o.Device); err != nil {
			return err
		}
	case PositionPart:
		if err := applyPosition(ctx, s, o.Position); err != nil {
			return err
		}
		return e.applyPermissions(ctx, o)
	case PermissionsPart:
		return e.applyPermissions(ctx, o)
	case ClockPart:
		return e.clock.set(ctx, s, o.Step)
	case AgentPart, MediaPart, LocalePart, TimezonePart, CPUPart, HeadersPart, NetworkPart:
	}
	return applyShared(ctx, s, o, p)
}

// explainRefusal turns a CDP error about a value into the error of an argument.
func explainRefusal(p Part, o Overrides, err error) error {
	var refused *cdproto.Error
	if !errors.As(err, &refused) {
		return fmt.Errorf("emulate %s: %w", p, err)
	}
	switch p { //nolint:exhaustive // the values of the other parts were checked before
	case LocalePart:
		return fault.Invalid("the browser knows no locale %q; give one such as de-DE", o.Locale)
	case TimezonePart:
		return fault.Invalid("the browser knows no timezone %q; give one such as Europe/Berlin", o.Timezone)
	}
	return fmt.Errorf("emulate %s: %w", p, err)
}

// applyChild sets the parts that exist in an OOPIF or worker.
func applyChild(ctx context.Context, c *children.Session, o Overrides, parts []Part) error {
	var errs []error
	for _, p := range parts {
		if !appliesToChildren(p) || c.Kind != "iframe" && !slices.Contains(workerParts(), p) {
			continue
		}
		if p == HeadersPart || p == NetworkPart {
			errs = append(errs, call(ctx, c, network.Enable, network.EnableParams{}))
		}
		errs = append(errs, applyShared(ctx, c, o, p))
	}
	return errors.Join(errs...)
}

// workerParts returns the parts that exist in workers.
func workerParts() []Part { return []Part{AgentPart, DevicePart, HeadersPart, NetworkPart, LocalePart} }

// applyShared sets a part that every kind of session has.
func applyShared(ctx context.Context, s cdp.Session, o Overrides, p Part) error {
	_, child := s.(*children.Session)
	switch p {
	case DevicePart:
		touch := o.Device != nil && o.Device.Touch
		params := emulation.SetTouchEmulationEnabledParams{Enabled: touch}
		if touch {
			params.MaxTouchPoints = 5
		}
		if err := call(ctx, s, emulation.SetTouchEmulationEnabled, params); err != nil && !child {
			return err
		}
		return applyAgent(ctx, s, o)
	case AgentPart:
		return applyAgent(ctx, s, o)
	case MediaPart:
		return call(ctx, s, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: o.Media.cdpFeatures()})
	case LocalePart:
		return applyLocale(ctx, s, o)
	case TimezonePart:
		// As with the locale, the browser refuses an override while another is in effect.
		err := call(ctx, s, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{})
		if err != nil || o.Timezone == "" {
			return err
		}
		params := emulation.SetTimezoneOverrideParams{TimezoneID: o.Timezone}
		return ignoreAlreadyInEffect(call(ctx, s, emulation.SetTimezoneOverride, params))
	case CPUPart:
		return call(ctx, s, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: max(1, o.CPU)})
	case HeadersPart:
		headers := network.Headers{}
		for _, h := range o.Headers {
			headers[h.Name] = h.Value
		}
		return call(ctx, s, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: headers})
	case NetworkPart:
		return applyNetwork(ctx, s, o.Network)
	case PositionPart, PermissionsPart, ClockPart:
	}
	return nil
}

// ignoreAlreadyInEffect drops the error for an override that another session of the same process
// has set, because the sessions of a process share it.
func ignoreAlreadyInEffect(err error) error {
	var refused *cdproto.Error
	if errors.As(err, &refused) && strings.Contains(refused.Message, "already in effect") {
		return nil
	}
	return err
}

func (e *Emulation) applyScreen(ctx context.Context, s cdp.Session, d *Device) error {
	if d == nil {
		return e.tab.SetMetrics(ctx, s, nil)
	}
	width, height := int64(d.Width), int64(d.Height)
	orientation := &emulation.ScreenOrientation{Type: emulation.ScreenOrientationTypePortraitPrimary}
	if width > height {
		orientation = &emulation.ScreenOrientation{Type: emulation.ScreenOrientationTypeLandscapePrimary, Angle: 90}
	}
	params := emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: d.Scale, Mobile: d.Mobile, ScreenWidth: width, ScreenHeight: height,
	}
	if d.Mobile {
		params.ScreenOrientation = orientation
	}
	if err := e.tab.SetMetrics(ctx, s, &params); err != nil {
		return fmt.Errorf("%s: %w", emulation.CommandSetDeviceMetricsOverride, err)
	}
	return nil
}

// applyAgent sets the user agent and the languages, which CDP sets with the same command.
func applyAgent(ctx context.Context, s cdp.Session, o Overrides) error {
	params := emulation.SetUserAgentOverrideParams{AcceptLanguage: acceptLanguage(o.Locale)}
	agent := o.Agent
	if agent == nil && o.Device != nil {
		agent = o.Device.Agent
	}
	if agent != nil {
		params.UserAgent, params.Platform, params.UserAgentMetadata = agent.UserAgent, agent.Platform, agent.metadata
	}
	return call(ctx, s, emulation.SetUserAgentOverride, params)
}

func applyLocale(ctx context.Context, s cdp.Session, o Overrides) error {
	// The browser refuses an override while another is in effect. It also refuses to clear that of
	// another session of the same process.
	err := call(ctx, s, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{})
	if err := ignoreAlreadyInEffect(err); err != nil {
		return err
	}
	if o.Locale != "" {
		params := emulation.SetLocaleOverrideParams{Locale: o.Locale}
		if err := ignoreAlreadyInEffect(call(ctx, s, emulation.SetLocaleOverride, params)); err != nil {
			return err
		}
	}
	return applyAgent(ctx, s, o)
}

// acceptLanguage returns the languages of a browser with a locale: "de-DE,de" for de-DE.
func acceptLanguage(locale string) string {
	if base, _, ok := strings.Cut(locale, "-"); ok {
		return locale + "," + base
	}
	return locale
}

func (m Media) activeFeatures() (out []emulation.MediaFeature) {
	for _, f := range []emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: m.ColorScheme}, {Name: "prefers-reduced-motion", Value: m.ReducedMotion},
		{Name: "forced-colors", Value: m.ForcedColors},
	} {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

// cdpFeatures returns every feature, because CDP leaves absent ones unchanged.
func (m Media) cdpFeatures() []*emulation.MediaFeature {
	return []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: m.ColorScheme}, {Name: "prefers-reduced-motion", Value: m.ReducedMotion},
		{Name: "forced-colors", Value: m.ForcedColors},
	}
}

func applyPosition(ctx context.Context, s cdp.Session, p *Position) error {
	if p == nil {
		return call(ctx, s, emulation.ClearGeolocationOverride, cdp.Empty{})
	}
	return call(ctx, s, emulation.SetGeolocationOverride, emulation.SetGeolocationOverrideParams{
		Latitude: &p.Latitude, Longitude: &p.Longitude, Accuracy: &p.Accuracy,
	})
}

// applyPermissions sets the permissions of the tab, of which the position needs one.
func (e *Emulation) applyPermissions(ctx context.Context, o Overrides) error {
	settings := map[string]string{}
	if o.Position != nil {
		settings["geolocation"] = "granted"
	}
	maps.Copy(settings, o.Permissions)
	err := e.tab.Permissions.Set(ctx, settings)
	if refused, ok := errors.AsType[*permission.Error](err); ok {
		if _, ok := errors.AsType[*cdproto.Error](refused.Err); ok {
			return fault.Invalid("the browser knows no permission %q that could be %s; names are such as %s",
				refused.Name, refused.Setting, strings.Join(examplePermissions(), ", "))
		}
	}
	return err
}

func examplePermissions() []string {
	return []string{
		"geolocation", "notifications", "camera", "microphone", "clipboard-read", "clipboard-write", "midi", "storage-access",
	}
}
