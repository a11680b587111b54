package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/cli/chrome"
	"github.com/callsheet/callsheet/internal/cli/doctor"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// otherBrowsers are ways to a browser when no address that is asked answers.
const otherBrowsers = "npx playwright install chromium, as root apt-get install chromium, or a browser that --browser or CHROME_PATH names"

// browserCommand installs a browser.
func (p program) browserCommand() *cobra.Command {
	var index string
	install := &cobra.Command{
		Use: "install", Short: "Install a browser, and try whether it starts", Args: noArguments,
		Long: "As root it installs Debian's package chromium by apt-get. Another user gets Chrome for Testing or, where that is not to be had, Debian's\n" +
			"packages, unpacked into the cache of Puppeteer (~/.cache/puppeteer), where callsheet looks for browsers. Length, digest and checksums of\n" +
			"the first are compared, apt-get compares those of packages.",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.installBrowser(cmd.Context(), index) },
	}
	install.Flags().StringVar(&index, "url", "", "download the newest version of this `INDEX` of Chrome for Testing, also as root (default "+chrome.Index+")")
	cmd := &cobra.Command{Use: "browser", Short: "Install a browser"}
	cmd.AddCommand(install)
	return cmd
}

// installBrowser tries the ways to a browser: as root Debian's packages and then Chrome for Testing, as another user the
// reverse; with an index, that alone.
func (p program) installBrowser(ctx context.Context, index string) error {
	screen := terminal.New(p.stderr)
	download := func() (string, error) { return chrome.Install(ctx, cmp.Or(index, chrome.Index), screen.Progress) }
	ways := []func() (string, error){download}
	if _, err := exec.LookPath("apt-get"); index == "" && err == nil {
		if os.Getuid() == 0 {
			ways = []func() (string, error){func() (string, error) { return "", chrome.InstallPackages(ctx, screen.Progress) }, download}
		} else {
			ways = append(ways, func() (string, error) { return chrome.UnpackPackages(ctx, screen.Progress) })
		}
	}
	var failed []string
	for _, install := range ways {
		path, err := install()
		screen.ClearProgress()
		if err == nil {
			return tryBrowser(ctx, p.stdout, path)
		}
		if ctx.Err() != nil {
			return err
		}
		failed = append(failed, err.Error())
	}
	return fmt.Errorf("no browser was installed: %s; other ways: %s", strings.Join(failed, "; "), otherBrowsers)
}

// tryBrowser shows what keeps a browser from working, and which it is. As root it is not started: it needs another user.
func tryBrowser(ctx context.Context, stdout io.Writer, path string) error {
	kept, err := statedir.New("")
	if err != nil {
		return err
	}
	if first, err := chromium.FindExecutable(""); err == nil && first == path {
		path = "" // it is taken without its name
	}
	cfg := config{}
	cfg.Browser.Executable, cfg.Browser.Headless = path, true
	out := terminal.New(stdout)
	for _, f := range doctor.Examine(ctx, doctor.Subject{Browser: appConfig(&cfg, slog.New(slog.DiscardHandler)).Browser, State: kept}, true, nil) {
		if f.Check == "sandbox" && f.Verdict == doctor.Failure {
			f.Verdict = doctor.Warning
		}
		if f.Check == "browser" || f.Check == "sandbox" || f.Verdict == doctor.Failure {
			showFinding(out, f)
		}
		if f.Verdict == doctor.Failure {
			err = exit.RefusedError{}
		}
	}
	return err
}
