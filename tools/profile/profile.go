// Package profile implements the tools of area profile: which browser profile is in use, and which
// there are.
//
// It never starts a browser.
package profile

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/profileapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
)

// Tools are the handlers of the area.
type Tools struct{ browser *browser.Browser }

// New makes the handlers.
func New(b *browser.Browser) *Tools { return &Tools{browser: b} }

var _ profileapi.Handlers = (*Tools)(nil)

// ListProfiles lists the Chrome profiles of a user data directory.
func (t *Tools) ListProfiles(_ context.Context, _ *toolkit.Call, in profileapi.ListProfilesParams) (toolkit.Result, error) {
	profiles, err := chromium.Profiles(in.UserDataDir.Value)
	if err != nil {
		return toolkit.Result{}, toolkit.Refuse(codes.NotFound, err.Error())
	}
	var lines []string
	for _, p := range profiles {
		line := fmt.Sprintf("%s %q", p.Directory, p.Name)
		if p.UserName != "" {
			line += " " + p.UserName
		}
		if p.Active {
			line += " (used last)"
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return toolkit.Text("no profiles"), nil
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// OcProfileStatus says which kind of profile is in use.
func (t *Tools) OcProfileStatus(context.Context, *toolkit.Call, profileapi.OcProfileStatusParams) (profileapi.OcProfileStatusResult, error) {
	s := t.browser.Status()
	return profileapi.OcProfileStatusResult{
		ProfileType:       profileapi.OcProfileStatusResultProfileType(s.Profile),
		Running:           s.Running,
		PersistentStorage: s.Profile != browser.TemporaryProfile,
		UserDataDir:       toolkit.NonZero(s.UserDataDir),
		Browser:           toolkit.NonZero(s.Version),
	}, nil
}
