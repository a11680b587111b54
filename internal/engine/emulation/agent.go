package emulation

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/emulation"

	"github.com/callsheet/callsheet/internal/fault"
)

// Agent is the identity that a browser reports in the User-Agent header, in client hints
// (Sec-CH-UA) and to scripts.
type Agent struct {
	Name      string // for people
	UserAgent string
	Platform  string // navigator.platform
	metadata  *emulation.UserAgentMetadata
}

// AgentNamed returns a known user agent and whether the name is known. chrome is the version of the
// running browser, such as "Chrome/156.0.8078.79"; agents of Chrome report it, so that version and
// features agree. Only Chromium-based agents send client hints.
func AgentNamed(name, chrome string) (*Agent, bool) {
	v := versionOf(chrome)
	const mobileSafari = "Version/18.5 Mobile/15E148 Safari/604.1"
	const webkit = " AppleWebKit/605.1.15 (KHTML, like Gecko) "
	blink := fmt.Sprintf(" AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0 ", v.major)
	windows, mac := "Mozilla/5.0 (Windows NT 10.0; Win64; x64)", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
	a := &Agent{Name: name}
	switch name {
	case "chrome-windows":
		a.UserAgent, a.Platform = windows+blink+"Safari/537.36", "Win32"
		a.metadata = v.hints("Windows", "19.0.0", "x86", "", false)
	case "chrome-mac":
		a.UserAgent, a.Platform = mac+blink+"Safari/537.36", "MacIntel"
		a.metadata = v.hints("macOS", "15.5.0", "arm", "", false)
	case "chrome-android":
		a.UserAgent, a.Platform = "Mozilla/5.0 (Linux; Android 10; K)"+blink+"Mobile Safari/537.36", "Linux armv81"
		a.metadata = v.hints("Android", "15.0.0", "", "Pixel 9", true)
	case "firefox-windows":
		a.UserAgent, a.Platform = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", "Win32"
	case "firefox-mac":
		a.UserAgent = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0"
		a.Platform = "MacIntel"
	case "safari-mac":
		a.UserAgent, a.Platform = mac+webkit+"Version/18.5 Safari/605.1.15", "MacIntel"
	case "safari-iphone":
		a.UserAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)" + webkit + mobileSafari
		a.Platform = "iPhone"
	case "safari-ipad":
		a.UserAgent = "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X)" + webkit + mobileSafari
		a.Platform = "iPad"
	case "googlebot":
		a.UserAgent = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; " +
			"Googlebot/2.1; +http://www.google.com/bot.html) Chrome/" + v.major + ".0.0.0 Safari/537.36"
		a.Platform = "Linux x86_64"
	case "bingbot":
		a.UserAgent = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; " +
			"bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/" + v.major + ".0.0.0 Safari/537.36"
		a.Platform = "Linux x86_64"
	default:
		return nil, false
	}
	return a, true
}

// AgentNames lists the names that AgentNamed knows.
func AgentNames() []string {
	return []string{
		"bingbot", "chrome-android", "chrome-mac", "chrome-windows", "firefox-mac", "firefox-windows", "googlebot",
		"safari-ipad", "safari-iphone", "safari-mac",
	}
}

// ParseAgent returns an agent for a User-Agent text, with the platform and client hints that the
// text implies. The error is that of an argument.
func ParseAgent(text string) (*Agent, error) {
	text = strings.TrimSpace(text)
	unprintable := strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
	if text == "" || len(text) > 1000 || unprintable {
		return nil, fault.Invalid("a user agent is 1 to 1000 printable ASCII characters")
	}
	a := &Agent{Name: fmt.Sprintf("%q", text), UserAgent: text}
	platform, mobile := "", strings.Contains(text, "Mobile")
	switch {
	case strings.Contains(text, "Android"):
		a.Platform, platform = "Linux armv81", "Android"
	case strings.Contains(text, "iPhone"):
		a.Platform = "iPhone"
	case strings.Contains(text, "iPad"):
		a.Platform = "iPad"
	case strings.Contains(text, "Windows"):
		a.Platform, platform = "Win32", "Windows"
	case strings.Contains(text, "Macintosh"):
		a.Platform, platform = "MacIntel", "macOS"
	case strings.Contains(text, "Linux"):
		a.Platform, platform = "Linux x86_64", "Linux"
	}
	if platform != "" && strings.Contains(text, "Chrome/") {
		a.metadata = versionOf(text).hints(platform, "", "", "", mobile)
	}
	return a, nil
}

// chromeVersion is a version of Chrome: major such as "156", full such as "156.0.8078.79".
type chromeVersion struct{ major, full string }

func versionOf(text string) chromeVersion {
	m := regexp.MustCompile(`Chrome/((\d+)[\d.]*)`).FindStringSubmatch(text)
	if m == nil {
		return chromeVersion{major: "140", full: "140.0.0.0"}
	}
	return chromeVersion{major: m[2], full: m[1]}
}

// hints returns the client hints that this version of Chrome sends.
func (v chromeVersion) hints(
	platform, platformVersion, architecture, model string, mobile bool,
) *emulation.UserAgentMetadata {
	brands := func(version, grease string) []*emulation.UserAgentBrandVersion {
		return []*emulation.UserAgentBrandVersion{
			{Brand: "Chromium", Version: version}, {Brand: "Google Chrome", Version: version},
			{Brand: "Not_A Brand", Version: grease},
		}
	}
	m := &emulation.UserAgentMetadata{
		Brands: brands(v.major, "24"), FullVersionList: brands(v.full, "24.0.0.0"),
		Platform: platform, PlatformVersion: cmp.Or(platformVersion, "10.0.0"),
		Architecture: architecture, Model: model, Mobile: mobile, FormFactors: []string{"Desktop"},
	}
	if architecture != "" {
		m.Bitness = "64"
	}
	if mobile {
		m.FormFactors = []string{"Mobile"}
	}
	return m
}
