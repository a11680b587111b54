package tooltest

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/login/secret"
)

// Password is the value of the secret PASSWORD that ConnectWithSecret gives a server.
const Password = `hunter2&"ö"+/x`

// ConnectWithSecret starts a server with a browser of its own that has the secret PASSWORD and
// stores everything below dir, and connects a client to it. Scripts may run on pages that got it, so that
// tests can look for it in them, and the tool for one-time codes returns digits. Opt-in capabilities are on if optIn
// names them.
func ConnectWithSecret(t *testing.T, dir string, optIn ...string) Client {
	t.Helper()
	vault, err := secret.New(map[string]string{"PASSWORD": Password})
	if err != nil {
		t.Fatal(err)
	}
	return NewOwnServer(t, app.Config{
		StateDir: dir, OutputDir: filepath.Join(dir, "output"), Vault: vault, ScriptsAfterSecrets: true, CodeDigits: true, Surface: toolkit.Options{AllTools: true, OptIn: optIn},
		Passphrase: func() (string, error) { return "the operator's own passphrase", nil },
	}).Connect(app.StdioSession, SessionRevision, nil)
}

// ServeEcho serves a page that repeats what is typed into it in every way that it can.
func ServeEcho(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><meta charset=utf-8><title>Parrot</title>
<body style="margin:0;background:white;color:black;font:16px sans-serif">
<input id=plain aria-label=Plain style="position:absolute;left:0;top:0;width:300px;height:30px;border:0;outline:0;color:black;transition:color 2s">
<input id=other aria-label=Other value="visible words" style="position:absolute;left:0;top:40px;width:300px;height:30px;border:0;color:black">
<div id=echo style="position:absolute;left:0;top:80px;width:300px;height:30px"></div>
<div id=host style="position:absolute;left:0;top:120px;width:300px;height:30px"></div>
<script>
  const root = host.attachShadow({mode: 'closed'});
  root.innerHTML = '<p style="margin:0"></p>';
  window.changes = 0;
  plain.addEventListener('input', () => {
    const v = plain.value;
    echo.textContent = v; root.querySelector('p').textContent = v; document.title = v;
    localStorage.setItem('pw', v); document.cookie = 'pw=' + encodeURIComponent(v);
    console.log('typed', v); console.error(JSON.stringify({v}));
    fetch('/echo?q=' + encodeURIComponent(v), {method: 'POST', body: v, headers: {'x-pw': btoa(unescape(encodeURIComponent('ann:' + v)))}});
    history.replaceState(null, '', '/?q=' + encodeURIComponent(v));
    window.typed = v;
  });
</script>`)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintf(w, "%s %s %s %s", body, r.URL.Query().Get("q"), hex.EncodeToString(body), strings.Repeat("long ", 2000))
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.txt"`)
		fmt.Fprintf(w, "your password is %s", r.URL.Query().Get("q"))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}
