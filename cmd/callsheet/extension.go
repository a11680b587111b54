package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/cli/daemon"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/engine/extension"
	"github.com/callsheet/callsheet/internal/engine/running"
)

// extensionCommand writes the browser extension and registers its native host.
func (p program) extensionCommand() *cobra.Command {
	root := &cobra.Command{Use: "extension", Short: "Add the extension that connects a browser without a debugging port"}
	var profile string
	install := &cobra.Command{
		Use: "install", Short: "Write the extension, and let browsers start its native host", Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return installExtension(p.stdout, profile) },
	}
	install.Flags().StringVar(&profile, "user-data-dir", "", "register the host for the browser with this profile `DIR`ectory (default every Chrome and Chromium of this user)")
	path := &cobra.Command{
		Use: "path", Short: "Print the directory that the browser loads", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			kept, err := stateAt("")
			if err != nil {
				return err
			}
			return p.printLine("%s", kept.Path("extension"))
		},
	}
	root.AddCommand(install, path)
	return root
}

func installExtension(out io.Writer, profile string) error {
	kept, err := stateAt("")
	if err != nil {
		return err
	}
	host, err := kept.Make("extension-host")
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	dir := kept.Path("extension")
	if err := extension.Write(dir); err != nil {
		return err
	}
	profiles, err := profilesOf(profile)
	if err != nil {
		return err
	}
	for _, each := range profiles {
		path, err := extension.WriteHost(each, host, exe)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "wrote %s\n", path); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "wrote %s\nopen chrome://extensions, turn on developer mode, press \"Load unpacked\" and choose that directory; "+
		"then press the Callsheet button in the toolbar and run: callsheet attach --extension\n", dir)
	return err
}

// profilesOf returns the profile directory that is named, or those of this user that exist.
func profilesOf(named string) (dirs []string, err error) {
	if named != "" {
		abs, err := filepath.Abs(named)
		return []string{abs}, err
	}
	for _, place := range running.Usual() {
		if info, err := os.Stat(place.Dir); err == nil && info.IsDir() {
			dirs = append(dirs, place.Dir)
		}
	}
	if len(dirs) == 0 {
		return nil, exit.Misuse(fmt.Errorf("no profile of a Chrome or Chromium was found; name one with --user-data-dir"))
	}
	return dirs, nil
}

// extensionHostCommand is the native host, which the browser starts: it copies between the extension
// and the daemon, in whose place the extension would have to open a port.
func (p program) extensionHostCommand() *cobra.Command {
	return &cobra.Command{
		Use: "extension-host", Short: "Be the native host of the extension", Hidden: true, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := daemonDirectory()
			if err != nil {
				return err
			}
			start, err := daemonProgram(nil)
			if err != nil {
				return err
			}
			conn, _, err := at.Connect(cmd.Context(), daemon.Hello{Identity: buildID(start.Path), Op: daemon.OpBridge}, start)
			if err != nil {
				return err
			}
			ended := make(chan struct{}, 2)
			go func() { _, _ = io.Copy(conn, p.stdin); ended <- struct{}{} }()
			go func() { _, _ = io.Copy(p.stdout, conn); ended <- struct{}{} }()
			<-ended // the browser or the daemon has ended; the other learns it by the end of this process
			return conn.Close()
		},
	}
}

// serveExtension serves the connection of a native host.
func (s *scopeServers) serveExtension(ctx context.Context, conn io.ReadWriteCloser) {
	if err := s.app.Connections.Extension.Serve(ctx, conn); err != nil {
		s.log.Warn("the connection of the extension ended", "error", err)
	}
}
