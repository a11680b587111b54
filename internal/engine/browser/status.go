package browser

// Status describes the browser without starting it.
type Status struct {
	Profile     ProfileKind
	Running     bool
	PID         int    // 0 when not running or attached
	Executable  string // "" before the first launch and when attached
	Version     string // such as "Chrome/156.0.8078.79"; "" when not running
	UserDataDir string // "" when attached, and for a temporary profile when not running
	Endpoint    string // "" unless attached
	DebugPort   int    // 0 unless configured
	Sessions    int
}

// Status returns the state of the browser. It never launches it.
func (b *Browser) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{
		Profile:     b.profileKind(),
		Endpoint:    b.endpoint(),
		DebugPort:   b.cfg.DebugPort,
		UserDataDir: b.cfg.UserDataDir,
		Sessions:    len(b.sessions),
	}
	if e := b.instance; e != nil {
		s.Running, s.PID, s.Executable, s.Version = true, e.pid, e.executable, e.version
		if e.dataDir != nil {
			s.UserDataDir = e.dataDir.Path
		}
	}
	return s
}
