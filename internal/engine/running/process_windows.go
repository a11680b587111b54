package running

// processRuns is not used: profiles have no lock to read here.
func processRuns(string) bool { return false }
