package chromium

import "os/exec"

// SetProcessGroup does nothing on Windows.
func SetProcessGroup(*exec.Cmd) {}

// KillGroup does nothing: Chromium's children run in a job that Windows ends with the main process.
func KillGroup(int) {}
