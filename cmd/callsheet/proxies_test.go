//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// proxyHost is the name of the server in docs/how-to/operate.md.
const proxyHost = "mcp.example.com"

// certificate writes a certificate of proxyHost and its key into a directory, and returns what trusts it.
func certificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: proxyHost}, DNSNames: []string{proxyHost}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(t, filepath.Join(dir, "cert.pem"), string(text))
	write(t, filepath.Join(dir, "cert.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
}

// TestReverseProxies serves by the configurations of docs/how-to/operate.md: a client lists tools, hears of a call that
// is under way before its end, and scrapes the metrics.
func TestReverseProxies(t *testing.T) {
	t.Parallel()
	document := read(t, "../../docs/how-to/operate.md")
	for _, proxy := range []struct {
		name, program string
		args          func(dir string) []string
		edit          func(config, dir, port string) string
	}{
		{"nginx", "nginx", func(dir string) []string { return []string{"-p", dir, "-c", "config", "-e", "stderr"} }, func(config, dir, port string) string {
			config = strings.NewReplacer("listen 443 ssl", "listen 127.0.0.1:"+port+" ssl", "/etc/ssl/"+proxyHost+".pem", dir+"/cert.pem", "/etc/ssl/"+proxyHost+".key", dir+"/cert.key").Replace(config)
			return "daemon off; pid nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;\n" + config + "}\n"
		}},
		{"caddy", "caddy", func(string) []string { return []string{"run", "--adapter", "caddyfile", "--config", "config"} }, func(config, dir, port string) string {
			return "{\nadmin off\nauto_https off\n}\n" + strings.Replace(config, proxyHost+" {", "https://"+proxyHost+":"+port+" {\nbind 127.0.0.1\ntls "+dir+"/cert.pem "+dir+"/cert.key", 1)
		}},
	} {
		t.Run(proxy.name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(proxy.program)
			if err != nil {
				program, err = exec.LookPath("/usr/sbin/" + proxy.program)
			}
			if err != nil {
				t.Skip(err)
			}
			m := regexp.MustCompile("(?s)```" + proxy.name + "\n(.*?)```").FindStringSubmatch(document)
			if m == nil {
				t.Fatal("operate.md has no configuration of " + proxy.name)
			}
			const token = "a-token-of-the-operator"
			s := &tokenServer{t: t, dir: t.TempDir()}
			s.serve("--auth-token", token, "--allowed-hosts", proxyHost, "--metrics", "--headless")
			dir, address := t.TempDir(), proctest.FreeAddress(t)
			trusted := certificate(t, dir)
			_, port, _ := net.SplitHostPort(address)
			config := strings.ReplaceAll(m[1], "127.0.0.1:9876", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp"))
			write(t, filepath.Join(dir, "config"), proxy.edit(config, dir, port))
			cmd := exec.Command(program, proxy.args(dir)...)
			var log bytes.Buffer
			cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "HOME="+dir), &log
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Signal(syscall.SIGTERM)
				if _ = cmd.Wait(); t.Failed() {
					t.Log(log.String())
				}
			})
			client := &http.Client{Transport: bearer{token, &http.Transport{
				TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true,
				DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return new(net.Dialer).DialContext(ctx, "tcp", address)
				},
			}}}
			throughProxy(t, client)
		})
	}
}

// bearer adds a token to requests.
type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip sends a request.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// throughProxy works through a proxy. A page ends only when the client has heard of its load.
func throughProxy(t *testing.T, client *http.Client) {
	t.Helper()
	var health *http.Response
	var err error
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if health, err = client.Get("https://" + proxyHost + "/readyz"); err == nil {
			break
		}
	}
	if err != nil || health.StatusCode != http.StatusOK {
		t.Fatal(health, err)
	}
	heard := make(chan struct{})
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-heard:
		case <-r.Context().Done():
		case <-time.After(30 * time.Second):
		}
		_, _ = w.Write([]byte("<title>Held</title>held"))
	}))
	t.Cleanup(page.Close)
	var once sync.Once
	session, err := tooltest.CheckOutputs(t, mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { once.Do(func() { close(heard) }) },
	})).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: "https://" + proxyHost + "/mcp", HTTPClient: client}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) == 0 {
		t.Fatal(list, err)
	}
	params := &mcp.CallToolParams{Name: "navigate", Arguments: map[string]any{"url": page.URL}}
	params.SetProgressToken("p")
	res, err := session.CallTool(t.Context(), params)
	if err != nil || res.IsError {
		t.Fatal(res, err)
	}
	select {
	case <-heard:
	default:
		t.Error("the client heard of no progress before the end of the call")
	}
	metrics, err := client.Get("https://" + proxyHost + "/metrics")
	if err != nil || metrics.StatusCode != http.StatusOK {
		t.Error(metrics, err)
	}
}
