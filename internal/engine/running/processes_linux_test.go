package running

import "testing"

func TestProfileOfCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/opt/chrome\x00--user-data-dir=/home/ann/my profile\x00--remote-debugging-port=0\x00https://a.example\x00": "/home/ann/my profile",
		"/usr/lib/chromium/chromium --remote-debugging-port=0 --user-data-dir=/home/ann/my profile about:blank\x00": "/home/ann/my profile",
		"/usr/lib/chromium/chromium --user-data-dir=profile https://a.example\x00":                                  "profile",
		"/usr/lib/chromium/chromium --type=renderer --user-data-dir=/home/ann/profile\x00":                          "",
		"/opt/chrome\x00--remote-debugging-pipe\x00--user-data-dir=/tmp/callsheet-profile-1\x00":                    "",
		"/usr/bin/vi\x00/home/ann/notes\x00": "",
	} {
		if got := profileOfCommand(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
