package browser

// SetProxy has the browser contexts that a client opens from now on go through a proxy, such as
// http://proxy.example:8080; "" lets them go directly again. Contexts that are open keep what they have, and the
// browser's default context never has one of these. It reports whether there was one.
func (b *Browser) SetProxy(client, server string) (had bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, had = b.proxies[client]
	if server == "" {
		delete(b.proxies, client)
		return had
	}
	if b.proxies == nil {
		b.proxies = make(map[string]string)
	}
	b.proxies[client] = server
	return had
}

// Proxy is what SetProxy has set for a client, or "".
func (b *Browser) Proxy(client string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.proxies[client]
}
