package export

// Report writes one self-contained page.
func Report(s Source) ([]byte, error) { return data(s) }
