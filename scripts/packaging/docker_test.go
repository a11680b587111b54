package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDockerFilesSayWhatTheyPromise reads the image's files as text, since no engine runs here.
func TestDockerFilesSayWhatTheyPromise(t *testing.T) {
	image := string(readFile(t, "docker/Dockerfile"))
	user, entry := strings.Index(image, "\nUSER callsheet\n"), strings.Index(image, "\nENTRYPOINT [\"/usr/bin/tini\", \"--\", \"callsheet\"]\n")
	if user < 0 || entry < user {
		t.Error("the image does not run tini as a user without rights")
	}
	health := image[strings.Index(image, "CMD [\"bash\"")+len("CMD "):]
	var command []string
	if err := json.Unmarshal([]byte(health), &command); err != nil || len(command) != 3 {
		t.Errorf("the health check is no list of three: %v", err)
	}
	compose := string(readFile(t, "docker/compose.yaml"))
	for _, file := range []string{image, compose} {
		if strings.Contains(file, "no-sandbox") || strings.Contains(file, "privileged") || strings.Contains(file, "unconfined") {
			t.Error("a file gives up the sandbox")
		}
	}
	var profile struct {
		Default  string `json:"defaultAction"`
		Syscalls []struct {
			Names  []string `json:"names"`
			Action string   `json:"action"`
		} `json:"syscalls"`
	}
	if err := json.Unmarshal(readFile(t, "docker/seccomp.json"), &profile); err != nil || profile.Default != "SCMP_ACT_ERRNO" || len(profile.Syscalls) < 10 {
		t.Errorf("the seccomp profile refuses nothing by default: %q, %v", profile.Default, err)
	}
}
