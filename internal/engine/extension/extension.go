// Package extension has the files of the browser extension, which carries the DevTools protocol
// between a browser without a debugging port and the daemon, and the manifest of its native host.
//
// It knows where browsers look for native hosts, and must not know what is said.
package extension

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// ID is the id of the extension, which follows from the key in its manifest.
const ID = "fobedhffbobpjloibmpglcldmkfpklpp"

// hostName is the name by which the extension calls its native host.
const hostName = "com.callsheet.host"

//go:embed files
var files embed.FS

// Write writes the files of the extension into a directory, which the browser loads.
func Write(dir string) error {
	inner, err := fs.Sub(files, "files")
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(inner, ".")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the directory of the extension: %w", err)
	}
	for _, e := range entries {
		data, err := fs.ReadFile(inner, e.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), data, 0o600); err != nil {
			return fmt.Errorf("write the extension: %w", err)
		}
	}
	return nil
}

// WriteHost makes the browser with a profile directory start program, an absolute path, with the
// argument extension-host as the native host of the extension. dir keeps the script that does so: a
// browser gives a host no arguments of its own. It returns the path of the host's manifest.
func WriteHost(profile, dir, program string) (string, error) {
	if runtime.GOOS == "windows" {
		return "", fmt.Errorf("register the native host: on Windows it is a key of the registry, which is not written yet")
	}
	script := filepath.Join(dir, "host.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec "+quote(program)+" extension-host\n"), 0o700); err != nil {
		return "", fmt.Errorf("write the native host: %w", err)
	}
	manifest, err := json.MarshalIndent(map[string]any{
		"name": hostName, "description": "Callsheet", "path": script, "type": "stdio",
		"allowed_origins": []string{"chrome-extension://" + ID + "/"},
	}, "", "  ")
	if err != nil {
		return "", err
	}
	hosts := filepath.Join(profile, "NativeMessagingHosts")
	if err := os.MkdirAll(hosts, 0o700); err != nil {
		return "", fmt.Errorf("create the directory of native hosts: %w", err)
	}
	path := filepath.Join(hosts, hostName+".json")
	if err := os.WriteFile(path, append(manifest, '\n'), 0o600); err != nil {
		return "", fmt.Errorf("register the native host: %w", err)
	}
	return path, nil
}

// quote quotes a word for sh.
func quote(word string) string {
	out := "'"
	for _, r := range word {
		if r == '\'' {
			out += `'\''`
			continue
		}
		out += string(r)
	}
	return out + "'"
}
