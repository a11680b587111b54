package main

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/configfile"
	"github.com/callsheet/callsheet/internal/cli/edit"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
)

// tokenVerbs are the commands about the bearer tokens of the configuration file.
type tokenVerbs struct{ program }

// tokenCommand adds, lists and revokes bearer tokens. A server that runs takes the change with its next request.
func (p program) tokenCommand() *cobra.Command {
	v := tokenVerbs{p}
	cmd := &cobra.Command{
		Use: "token", Short: "Give clients of a server over HTTP bearer tokens of their own",
		Long:              "Keep bearer tokens in the configuration file, as digests: a client that has one is a principal of that name, with sessions of its own.",
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // the file is read here
	}
	var powers, expires string
	add := &cobra.Command{
		Use: "add NAME", Short: "Make a token, and print it this once", Args: oneName,
		Example: "  callsheet token add ci --powers navigation,window --expires 2027-01-31",
		RunE: func(cmd *cobra.Command, args []string) error {
			t := configfile.Token{Name: args[0]}
			if cmd.Flags().Changed("powers") {
				t.Powers = append([]string{}, strings.FieldsFunc(powers, func(r rune) bool { return r == ',' || r == ' ' })...)
			}
			return v.add(cmd, t, expires)
		},
	}
	add.Flags().StringVar(&powers, "powers", "", "let its calls have these `POWERS` alone, comma-separated, none for \"\" (default all)")
	add.Flags().StringVar(&expires, "expires", "", "refuse it after this `DAY` (UTC), such as 2027-01-31")
	cmd.AddCommand(add,
		&cobra.Command{Use: "list", Short: "List the tokens: names, powers and last days", Args: noArguments,
			RunE: func(cmd *cobra.Command, _ []string) error { return v.list(cmd) }},
		&cobra.Command{Use: "revoke NAME", Short: "Take a token back", Args: oneName,
			RunE: func(cmd *cobra.Command, args []string) error {
				return v.change(cmd, func(path string, data []byte) ([]byte, error) {
					return configfile.RemoveToken(path, data, args[0], options.Settings)
				})
			}},
	)
	for _, c := range cmd.Commands() {
		options.FileFlags(c.Flags())
	}
	return cmd
}

// oneName refuses everything but one name.
func oneName(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return exit.Misuse(fmt.Errorf("%s takes the name of a token, got %d arguments", cmd.Name(), len(args)))
	}
	return nil
}

func (v tokenVerbs) add(cmd *cobra.Command, t configfile.Token, expires string) error {
	if expires != "" {
		var err error
		if t.Expires, err = configfile.ParseDay(expires); err == nil && !time.Now().Before(t.Expires) {
			err = fmt.Errorf("%s is over", expires)
		}
		if err != nil {
			return exit.Misuse(fmt.Errorf("--expires: %w", err))
		}
	}
	if err := v.checkPowers(t.Powers); err != nil {
		return err
	}
	text := rand.Text()
	t.Digest = sha256.Sum256([]byte(text))
	err := v.change(cmd, func(path string, data []byte) ([]byte, error) {
		return configfile.AddToken(path, data, t, options.Settings)
	})
	if err != nil {
		return err
	}
	return v.printLine("%s", text)
}

// checkPowers holds names against the powers of the tools.
func (v tokenVerbs) checkPowers(names []string) error {
	if len(names) == 0 {
		return nil
	}
	built, err := v.build(config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { _ = options.Close(built) }()
	if _, err := built.PowerSurface(names); err != nil {
		return exit.Misuse(err)
	}
	return nil
}

// change rewrites the configuration file.
func (v tokenVerbs) change(cmd *cobra.Command, rewrite func(path string, data []byte) ([]byte, error)) error {
	path, _, err := options.FilePath(cmd.Flags())
	if err == nil && path == "" {
		err = fmt.Errorf("there is no configuration file: --%s names one", options.FlagConfig)
	}
	if err != nil {
		return exit.Misuse(err)
	}
	c, err := edit.Read(path)
	if err != nil {
		return err
	}
	if c.After, err = rewrite(path, c.Before); err != nil {
		return exit.Misuse(err)
	}
	_, err = c.Write()
	return err
}

func (v tokenVerbs) list(cmd *cobra.Command) error {
	file, err := v.settings().Load(cmd.Flags())
	if err == nil && file != nil {
		err = file.Err()
	}
	if err != nil {
		return exit.Misuse(err)
	}
	screen := terminal.New(v.stdout)
	var rows [][]string
	for _, name := range file.TokenNames() {
		t := file.Tokens[name]
		powers := "all"
		if t.Powers != nil {
			powers = strings.Join(slices.Sorted(slices.Values(t.Powers)), ", ")
		}
		rows = append(rows, []string{name, powers, t.Day()})
	}
	if len(rows) == 0 {
		return screen.Line("there is no token; callsheet token add NAME makes one")
	}
	return screen.Table([]string{"name", "powers", "last day"}, rows)
}
