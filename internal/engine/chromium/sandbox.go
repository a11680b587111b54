package chromium

import (
	"cmp"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// NoSandboxVariable is set by an operator who says, as by the switch --no-sandbox, that browsers may run without one.
const NoSandboxVariable = "CALLSHEET_NO_SANDBOX"

// sandboxWarning is written once in a process.
var sandboxWarning sync.Once

// WarnOfSandbox writes into a log, once in a process, that Chromium runs without its sandbox, if so.
func (o Options) WarnOfSandbox(log *slog.Logger) {
	if why := thisMachine().sandboxOff(o.Args); why != "" {
		sandboxWarning.Do(func() {
			log.Warn("the browser runs without its sandbox: a page that breaks out of it has this user's rights", "why", why)
		})
	}
}

// CheckRoot returns why no browser starts as root with these switches, or nil: as root Chromium has no sandbox, and a page that
// breaks out of it would own a machine that is no container, unless the operator says that it may.
func CheckRoot(args []string) error { return thisMachine().checkRoot(args) }

// machine is where a browser starts.
type machine struct {
	uid  int
	root string // directory of its files
	env  func(name string) string
}

func thisMachine() machine { return machine{uid: os.Getuid(), root: "/", env: os.Getenv} }

func (m machine) checkRoot(args []string) error {
	if m.uid != 0 || m.saysOff(args) != "" || m.container() != "" {
		return nil
	}
	return fault.New(codes.NoBrowser, "this process runs as root, where Chromium has no sandbox, and no container was recognised: a page that breaks out would own "+
		"this machine. Run callsheet as an ordinary user, or in a container; where every page is trusted, start it with --browser-arg=--no-sandbox or "+
		NoSandboxVariable+"=1")
}

// sandboxOff says why Chromium runs without its sandbox, or "" when it has one.
func (m machine) sandboxOff(args []string) string {
	if why := m.saysOff(args); why != "" || m.uid != 0 {
		return why
	}
	return "this process runs as root, where Chromium has none, in " + cmp.Or(m.container(), "no container")
}

// saysOff says how the operator has turned the sandbox off, or "".
func (m machine) saysOff(args []string) string {
	for _, arg := range args {
		if name, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(arg), "-"), "="); name == "no-sandbox" {
			return "the operator passes --no-sandbox"
		}
	}
	if m.uid == 0 && m.env(NoSandboxVariable) == "1" {
		return "the operator sets " + NoSandboxVariable
	}
	return ""
}

// Marks of containers in the control groups of a process.
var containerGroups = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)[/:.-](docker|kubepods|libpod|containerd|crio|cri-containerd|lxc|garden|ecs|actions_job|machine\.slice)\b`)
})

// container names the container in which this process is, with the mark that says so; "" for none.
func (m machine) container() string {
	for _, mark := range []struct{ file, name string }{
		{".dockerenv", "Docker"}, {"run/.containerenv", "Podman"}, {".containerenv", "Podman"},
		{"var/run/secrets/kubernetes.io/serviceaccount", "Kubernetes"}, {"dev/incus", "Incus"}, {"dev/lxd", "LXD"}, {".singularity.d", "Singularity"},
	} {
		if _, err := os.Stat(filepath.Join(m.root, mark.file)); err == nil {
			return mark.name + " (/" + mark.file + ")"
		}
	}
	if kind := m.env("container"); kind != "" {
		return kind + " (the variable container)"
	}
	if m.env("KUBERNETES_SERVICE_HOST") != "" {
		return "Kubernetes (the variable KUBERNETES_SERVICE_HOST)"
	}
	if kind := strings.TrimSpace(m.read("run/systemd/container")); kind != "" {
		return kind + " (/run/systemd/container)"
	}
	for variable := range strings.SplitSeq(m.read("proc/1/environ"), "\x00") {
		if kind, ok := strings.CutPrefix(variable, "container="); ok && kind != "" {
			return kind + " (the environment of process 1)"
		}
	}
	for _, file := range []string{"proc/self/cgroup", "proc/1/cgroup"} {
		if found := containerGroups().FindStringSubmatch(m.read(file)); found != nil {
			return found[1] + " (/" + file + ")"
		}
	}
	if strings.Contains(m.read("proc/version"), "gVisor") || strings.Contains(m.read("proc/sys/kernel/osrelease"), "gvisor") {
		return "gVisor (/proc/version)"
	}
	if m.exists("proc/vz") && !m.exists("proc/bc") {
		return "OpenVZ (/proc/vz)"
	}
	return m.changedRoot()
}

// changedRoot names a root directory that is not that of process 1; "" where it is, or is not known.
func (m machine) changedRoot() string {
	own, err := os.Stat(m.root)
	if err != nil {
		return ""
	}
	if first, err := os.Stat(filepath.Join(m.root, "proc/1/root") + "/"); err == nil && !os.SameFile(own, first) {
		return "a changed root (/proc/1/root)"
	}
	if name := strings.TrimSpace(m.read("etc/debian_chroot")); name != "" {
		return name + " (/etc/debian_chroot)"
	}
	return ""
}

func (m machine) exists(file string) bool {
	_, err := os.Stat(filepath.Join(m.root, file))
	return err == nil
}

func (m machine) read(file string) string {
	text, _ := os.ReadFile(filepath.Join(m.root, file))
	return string(text)
}
