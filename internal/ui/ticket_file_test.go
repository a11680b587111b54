package ui_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/ui"
)

// askForFile requests a ticket without a token and returns the name of the file that has it.
func askForFile(t *testing.T, site *httptest.Server) string {
	t.Helper()
	res := send(t, site, request{method: http.MethodPost, path: "/ui/api/ticket", body: "{}"})
	var reply struct{ File string }
	if err := json.NewDecoder(res.Body).Decode(&reply); err != nil || reply.File == "" {
		t.Fatalf("%s: %+v, %v", res.Status, reply, err)
	}
	return reply.File
}

// TestTicketsAreFilesWithoutAToken asks a server without a token, which proves who asks by a file.
func TestTicketsAreFilesWithoutAToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := ui.New(ui.Options{TicketDirectory: dir})
	site := httptest.NewServer(server)
	t.Cleanup(site.Close)
	name := askForFile(t, site)
	if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	ticket, err := ui.ReadTicket(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	for range 40 { // any user of this machine may ask, and must not make the ticket useless
		askForFile(t, site)
	}
	signIn(t, site, ticket)
	if next, err := ui.ReadTicket(dir, askForFile(t, site)); err != nil || next == ticket {
		t.Errorf("the ticket after a used one is %q, %v", next, err)
	}
	server.Close()
	if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file stays after the server: %v", err)
	}
}

// TestOnlyTicketsAreRead gives ReadTicket what a hostile server could name.
func TestOnlyTicketsAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	ticket := strings.Repeat("A", 26)
	for path, text := range map[string]string{
		secret: ticket,
		filepath.Join(dir, "ui-ticket-"+strings.Repeat("B", 26)): "password=1\x1b[2J",
		filepath.Join(dir, "ui-ticket-"+strings.Repeat("C", 26)): strings.Repeat("A", 1<<20),
		filepath.Join(dir, "other"):                              ticket,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := "ui-ticket-" + strings.Repeat("D", 26)
	if err := os.Symlink(secret, filepath.Join(dir, link)); err != nil {
		t.Skip(err) // Windows may refuse links
	}
	device := "ui-ticket-" + strings.Repeat("E", 26)
	if err := os.Symlink("/dev/zero", filepath.Join(dir, device)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"/etc/passwd", "/dev/zero", secret, "other", "../" + filepath.Base(dir) + "/other", link, device, "",
		"ui-ticket-" + strings.Repeat("B", 26), "ui-ticket-" + strings.Repeat("C", 26), "ui-ticket-" + strings.Repeat("F", 26),
	} {
		text, err := ui.ReadTicket(dir, name)
		if refused := (*ui.NoTicketError)(nil); !errors.As(err, &refused) {
			t.Errorf("%q is read: %.40q, %v", name, text, err)
		}
	}
}
