package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/cli/chrome"
	"github.com/callsheet/callsheet/internal/cli/doctor"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/text"
)

// otherBrowsers are ways to a browser when no address that is asked answers.
const otherBrowsers = "npx playwright install chromium, as root apt-get install chromium, or a browser that --browser or CHROME_PATH names"

// browserCommand installs a browser.
func (p program) browserCommand() *cobra.Command {
	var index string
	install := &cobra.Command{
		Use: "install", Short: "Install a browser, and try whether it starts", Args: noArguments,
		Long: "As root where there is apt-get, it installs the package chromium of the distribution; else it downloads Chrome for Testing into the cache\n" +
			"of Puppeteer (~/.cache/puppeteer), where callsheet looks for browsers. Length, digest and checksums of the download are compared.",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.installBrowser(cmd.Context(), index) },
	}
	install.Flags().StringVar(&index, "url", "", "download the newest version of this `INDEX` of Chrome for Testing, also as root (default "+chrome.Index+")")
	cmd := &cobra.Command{Use: "browser", Short: "Install a browser"}
	cmd.AddCommand(install)
	return cmd
}

func (p program) installBrowser(ctx context.Context, index string) (err error) {
	var path string
	if apt, lookErr := exec.LookPath("apt-get"); index == "" && lookErr == nil && os.Getuid() == 0 {
		err = installPackage(ctx, apt, p.stderr)
	} else {
		if index == "" {
			index = chrome.Index
		}
		screen := terminal.New(p.stderr)
		path, err = chrome.Install(ctx, index, func(done, total float64) {
			screen.Progress(done, total, "of "+text.Bytes(int64(total)))
		})
		screen.ClearProgress()
	}
	if err != nil {
		return fmt.Errorf("no browser was installed: %w; other ways: %s", err, otherBrowsers)
	}
	kept, err := statedir.New("")
	if err != nil {
		return err
	}
	cfg := config{}
	cfg.Browser.Executable, cfg.Browser.Headless = path, true
	out := terminal.New(p.stdout)
	for _, f := range doctor.Examine(ctx, doctor.Subject{Browser: appConfig(&cfg, slog.New(slog.DiscardHandler)).Browser, State: kept}, true, nil) {
		if f.Check == "browser" || f.Verdict == doctor.Failure {
			showFinding(out, f)
		}
		if f.Verdict == doctor.Failure {
			err = exit.RefusedError{}
		}
	}
	return err
}

// installPackage installs the distribution's package.
func installPackage(ctx context.Context, apt string, log io.Writer) error {
	for _, args := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-liberation"}} {
		cmd := exec.CommandContext(ctx, apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("apt-get %s: %w", args[0], err)
		}
	}
	return nil
}
