// Package upgrade asks one address which version is the newest, and compares it.
//
// It must not know when that is, nor how an upgrade is made.
package upgrade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// timeout bounds the question, and maxAnswer its answer.
const (
	timeout   = 15 * time.Second
	maxAnswer = 1 << 20 // bytes
)

// Release describes the newest version, as an address serves it.
type Release struct {
	Version string // without the letter v
	Page    string // address for people; "" when not said
}

// LatestRelease is the address that describes the latest release of a repository on GitHub; "" for other
// repositories.
func LatestRelease(repository string) string {
	name, ok := strings.CutPrefix(repository, "https://github.com/")
	if !ok {
		return ""
	}
	return "https://api.github.com/repos/" + name + "/releases/latest"
}

// Ask makes one GET request. The answer is JSON with tag_name, as GitHub says it, or version, as
// registries of packages do.
func Ask(ctx context.Context, address, agent string) (Release, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return Release{}, fmt.Errorf("%q is no http address", address)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Release{}, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", agent)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return Release{}, err
	}
	defer func() { _ = response.Body.Close() }() // reading: nothing is lost
	if response.StatusCode != http.StatusOK {
		return Release{}, fmt.Errorf("%s answers %s", u.Host, response.Status)
	}
	var body struct {
		Tag     string `json:"tag_name"`
		Page    string `json:"html_url"`
		Version string `json:"version"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&body); err != nil {
		return Release{}, fmt.Errorf("read the answer of %s: %w", u.Host, err)
	}
	version := strings.TrimPrefix(body.Tag, "v")
	if version == "" {
		version = body.Version
	}
	if !semver.IsValid("v" + version) {
		return Release{}, errors.New(u.Host + " names no version")
	}
	if !strings.HasPrefix(body.Page, "https://") {
		body.Page = ""
	}
	return Release{version, body.Page}, nil
}

// IsNewer reports whether a release is newer than a version. Known is false for a version without a
// number, as that of a development build.
func (r Release) IsNewer(than string) (newer, known bool) {
	than = "v" + strings.TrimPrefix(than, "v")
	if !semver.IsValid(than) {
		return false, false
	}
	return semver.Compare("v"+r.Version, than) > 0, true
}
