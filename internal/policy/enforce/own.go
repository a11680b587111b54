package enforce

import (
	"fmt"
	"net/http"
	"os"

	"github.com/callsheet/callsheet/internal/engine/browser/download"
	"github.com/callsheet/callsheet/internal/policy/gateway"
)

// Transport makes a transport of this process obey the policy. It changes t.
func (e *Enforcer) Transport(t *http.Transport) http.RoundTripper {
	return gateway.Transport(e.policy, t, e.CheckFetch)
}

// Downloads bounds the downloads that a store keeps by number and size.
func (e *Enforcer) Downloads(store download.Store) download.Store {
	if l := e.policy.Limits(); l.Downloads == 0 && l.DownloadBytes == 0 {
		return store
	}
	return limitedDownloads{store, e}
}

type limitedDownloads struct {
	download.Store

	enforcer *Enforcer
}

// Limit returns the maximum size of a file in bytes.
func (l limitedDownloads) Limit() int64 {
	own := l.Store.Limit()
	if n := l.enforcer.policy.Limits().DownloadBytes; n > 0 && n < own {
		return n
	}
	return own
}

// Save stores a file, unless it is too large or the session has had its share. A small file has
// arrived before Limit could cancel its download.
func (l limitedDownloads) Save(session string, d download.Download, file string, move bool) (download.Stored, error) {
	e, limits := l.enforcer, l.enforcer.policy.Limits()
	key, what := "", ""
	switch {
	case limits.DownloadBytes > 0 && max(d.Received, d.Total) > limits.DownloadBytes:
		key, what = "download_bytes", fmt.Sprintf("a download larger than %d bytes", limits.DownloadBytes)
	case limits.Downloads > 0 && !e.sessions.of(e.name(session)).takeDownload(limits.Downloads):
		key, what = "downloads", fmt.Sprintf("a download beyond %d", limits.Downloads)
	default:
		return l.Store.Save(session, d, file, move)
	}
	decision := limitDecision(e.policy, key)
	e.note(session, kindLimit, "download", decision)
	if move {
		_ = os.Remove(file) // it is in a directory that ends with the browser
	}
	return download.Stored{}, denied(what, decision)
}
