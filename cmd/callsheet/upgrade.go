package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/generated/metadata"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/installation"
	"github.com/callsheet/callsheet/internal/cli/upgrade"
)

// upgradeVariable names the address that is asked for the newest version.
const upgradeVariable = "CALLSHEET_UPGRADE_URL"

// upgradeCommand says how this installation is upgraded. Only --check asks the network; nothing else in
// the program looks for versions.
func (p program) upgradeCommand() *cobra.Command {
	var check, asJSON bool
	var address string
	cmd := &cobra.Command{
		Use: "upgrade", Short: "Say how this installation is upgraded, and with --check whether there is a newer version",
		Long: "Without --check, nothing leaves the machine. With it, one GET request goes to --url, with the program's name and version, and the\n" +
			"answer is JSON with tag_name or version.\n" +
			"Exit codes: 0 there is no newer version, 1 there is one, 2 the command line is wrong, 3 the address does not answer.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			exe, err := executable()
			if err != nil {
				return err
			}
			kind := installation.Of(exe, "/", metadata.Program)
			if !check {
				return errors.Join(p.printLine("callsheet %s, installed as %s: %s", version, kind, exe), p.printLine("%s", upgradeAdvice(kind, "latest", "")))
			}
			if address == "" {
				return exit.Misuse(fmt.Errorf("there is no address to ask; give --url or %s", upgradeVariable))
			}
			release, err := upgrade.Ask(cmd.Context(), address, "callsheet/"+version)
			if err != nil {
				return fmt.Errorf("look for a newer version: %w", err)
			}
			return p.showRelease(release, version, kind, asJSON)
		},
	}
	usual := upgrade.LatestRelease(metadata.Repository)
	if set, ok := os.LookupEnv(upgradeVariable); ok {
		usual = set
	}
	cmd.Flags().BoolVar(&check, "check", false, "ask which version is the newest")
	cmd.Flags().StringVar(&address, "url", usual, "with --check, ask this `ADDRESS`; "+upgradeVariable+" sets it too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --check, print it as JSON")
	return cmd
}

// showRelease prints what is the newest version. That there is a newer one is exit code 1.
func (p program) showRelease(release upgrade.Release, current string, kind installation.Kind, asJSON bool) error {
	newer, known := release.IsNewer(current)
	var err error
	switch advice := upgradeAdvice(kind, release.Version, release.Page); {
	case asJSON:
		err = p.printJSON(map[string]any{"current": current, "newest": release.Version, "newer": newer, "installation": kind, "upgrade": advice, "page": release.Page})
	case !known:
		err = p.printLine("callsheet %s is a development build; the newest version is %s", current, release.Version)
	case !newer:
		err = p.printLine("callsheet %s is the newest version", current)
	default:
		err = errors.Join(p.printLine("callsheet %s is there, and this is %s", release.Version, current), p.printLine("%s", advice))
	}
	if err == nil && newer {
		return exit.RefusedError{}
	}
	return err
}

// upgradeAdvice says what a person does to have a version.
func upgradeAdvice(kind installation.Kind, to, page string) string {
	switch kind {
	case installation.NPM:
		return "upgrade with: npm install -g " + metadata.NPM + "@" + to + "  (clients that start npx -y " + metadata.NPM + "@VERSION: callsheet install CLIENT --write)"
	case installation.Debian:
		return "upgrade with: apt install ./callsheet_" + to + "_ARCH.deb  (from " + orReleases(page) + ")"
	default:
		return "upgrade: replace the file by that of " + orReleases(page)
	}
}

func orReleases(page string) string {
	if page == "" {
		return metadata.Repository + "/releases"
	}
	return page
}
