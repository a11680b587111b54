package chromium

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRootWithoutSandbox starts browsers as root: on a machine that is no container only where the operator says so.
func TestRootWithoutSandbox(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		uid         int
		args        []string
		env, files  map[string]string
		refused     bool
		sandboxText string // why there is no sandbox
	}{
		"ordinary user":             {uid: 1000},
		"root of a machine":         {refused: true, sandboxText: "no container"},
		"groups of a machine":       {files: map[string]string{"proc/self/cgroup": "0::/user.slice/user-0.slice/session-1.scope\n", "proc/1/environ": "HOME=/\x00TERM=linux\x00"}, refused: true, sandboxText: "no container"},
		"docker is installed":       {files: map[string]string{"proc/self/cgroup": "0::/system.slice/dockerd.service\n", "etc/docker/daemon.json": "{}"}, refused: true, sandboxText: "no container"},
		"the switch":                {args: []string{"--no-sandbox"}, sandboxText: "passes --no-sandbox"},
		"the switch without dashes": {args: []string{"no-sandbox=1"}, sandboxText: "passes --no-sandbox"},
		"another switch":            {args: []string{"--no-sandbox-and-more"}, refused: true, sandboxText: "no container"},
		"the variable":              {env: map[string]string{NoSandboxVariable: "1"}, sandboxText: NoSandboxVariable},
		"the variable is 0":         {env: map[string]string{NoSandboxVariable: "0"}, refused: true, sandboxText: "no container"},
		"docker":                    {files: map[string]string{".dockerenv": ""}, sandboxText: "Docker"},
		"podman":                    {files: map[string]string{"run/.containerenv": ""}, sandboxText: "Podman"},
		"nspawn":                    {files: map[string]string{"run/systemd/container": "systemd-nspawn\n"}, sandboxText: "systemd-nspawn"},
		"lxc of process 1":          {files: map[string]string{"proc/1/environ": "HOME=/\x00container=lxc\x00"}, sandboxText: "lxc"},
		"its own variable":          {env: map[string]string{"container": "oci"}, sandboxText: "oci"},
		"kubernetes":                {env: map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, sandboxText: "Kubernetes"},
		"groups of kubernetes":      {files: map[string]string{"proc/self/cgroup": "11:memory:/kubepods/burstable/pod12/ab\n"}, sandboxText: "kubepods"},
		"groups of docker":          {files: map[string]string{"proc/1/cgroup": "0::/system.slice/docker-0af3.scope\n"}, sandboxText: "docker"},
		"chroot":                    {files: map[string]string{"proc/1/root/etc/hostname": "host"}, sandboxText: "a changed root"},
		"named chroot":              {files: map[string]string{"etc/debian_chroot": "bookworm\n"}, sandboxText: "bookworm"},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m := machine{uid: c.uid, root: root, env: func(name string) string { return c.env[name] }}
		if err := m.checkRoot(c.args); (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "--browser-arg=--no-sandbox") {
			t.Errorf("%s: %v", name, err)
		}
		if why := m.sandboxOff(c.args); (why == "") != (c.sandboxText == "") || !strings.Contains(why, c.sandboxText) {
			t.Errorf("%s: the sandbox is off for %q", name, why)
		}
	}
}
