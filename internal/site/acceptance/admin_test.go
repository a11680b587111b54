package acceptance_test

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed admin/serve.py
var adminProgram []byte

// AdminUser and AdminPassword are the login of Django's admin.
const (
	AdminUser     = "ada"
	AdminPassword = "correct horse battery"
)

// StartAdmin starts the admin of Django (Debian's package) over a database of its own with three
// users and two groups.
func StartAdmin(t testing.TB) App {
	t.Helper()
	needDebian(t, "python3-django", "/usr/lib/python3/dist-packages/django/__init__.py")
	dir := t.TempDir()
	program := filepath.Join(dir, "serve.py")
	if err := os.WriteFile(program, adminProgram, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/usr/bin/python3", program, AdminUser, AdminPassword)
	cmd.Dir = dir
	return startProcess(t, "admin", cmd)
}
