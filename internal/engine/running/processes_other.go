//go:build !linux

package running

// profilesOfProcesses is not used: only Linux shows the command lines of processes as files.
func profilesOfProcesses() []string { return nil }
